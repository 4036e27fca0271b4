"""What numbers of games tell: pairs, strengths and their intervals, sequential tests."""
