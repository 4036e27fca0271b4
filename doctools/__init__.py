"""Tools for the documents: pictures and tables from results, and hooks of the site."""
