"""What makes the documents: pictures and tables drawn by our own code, and what the site adds."""
