"""Plays a full column as soon as there is one."""


def agent(position):
    legal = position.legal_columns
    full = [column for column in range(position.geometry.columns) if column not in legal]
    return full[0] if full else legal[-1]
