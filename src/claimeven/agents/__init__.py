"""Players under one contract, made by name."""

from claimeven.agents.contract import Agent, AgentFault, Decision, InvalidLimit, Limit, TreeView
from claimeven.agents.files import FunctionAgent, KaggleAgent
from claimeven.agents.options import AgentKind, InvalidSpec, Option
from claimeven.agents.registry import AGENTS, make_agent, make_agents

__all__ = [
    "AGENTS",
    "Agent",
    "AgentFault",
    "AgentKind",
    "Decision",
    "FunctionAgent",
    "InvalidLimit",
    "InvalidSpec",
    "KaggleAgent",
    "Limit",
    "Option",
    "TreeView",
    "make_agent",
    "make_agents",
]
