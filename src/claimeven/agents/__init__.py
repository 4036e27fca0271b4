"""Agents: players with one interface, made from a spec."""

from typing import TYPE_CHECKING

from claimeven import lazy

if TYPE_CHECKING:
    from claimeven.agents.base import (
        GRACE,
        Agent,
        AgentFault,
        Decision,
        InvalidLimit,
        Limit,
        TreeView,
    )
    from claimeven.agents.function_agent import FunctionAgent, as_agent
    from claimeven.agents.kaggle_agent import KaggleAgent
    from claimeven.agents.options import AgentKind, InvalidSpec, Option
    from claimeven.agents.process.agent import ProcessAgent
    from claimeven.agents.process.sandbox import Sandbox
    from claimeven.agents.registry import AGENTS, AgentLike, make_agent, make_agents

__all__ = [
    "AGENTS",
    "GRACE",
    "Agent",
    "AgentFault",
    "AgentKind",
    "AgentLike",
    "Decision",
    "FunctionAgent",
    "InvalidLimit",
    "InvalidSpec",
    "KaggleAgent",
    "Limit",
    "Option",
    "ProcessAgent",
    "Sandbox",
    "TreeView",
    "as_agent",
    "make_agent",
    "make_agents",
]

# A separate process of an agent imports the interface without the searches, so that it starts fast.
_HOMES = {
    "base": "GRACE Agent AgentFault Decision InvalidLimit Limit TreeView",
    "function_agent": "FunctionAgent as_agent",
    "kaggle_agent": "KaggleAgent",
    "options": "AgentKind InvalidSpec Option",
    "process.sandbox": "Sandbox",
    "process.agent": "ProcessAgent",
    "registry": "AGENTS AgentLike make_agent make_agents",
}
__getattr__, __dir__ = lazy.offer(__name__, _HOMES)
