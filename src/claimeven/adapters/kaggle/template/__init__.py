"""What exported submissions are put together from: plain Python, and NumPy where a net needs it.

Each module here is one section of a submission (`export` cuts out what joins them), so nothing in
here imports anything else of claimeven, and no two modules define the same name.
"""
