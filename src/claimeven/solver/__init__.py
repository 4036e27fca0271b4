"""Exact scores: explanations, game reviews and data sets made from them."""
