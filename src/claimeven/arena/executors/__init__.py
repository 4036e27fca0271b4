"""Who plays the games: this process, several of this machine, or those of a cluster."""
