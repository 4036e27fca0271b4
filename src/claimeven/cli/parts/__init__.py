"""The parts of single verbs, each named after its verb: reports in words, verbs within verbs."""
