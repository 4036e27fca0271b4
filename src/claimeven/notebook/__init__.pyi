from claimeven.notebook.widget import BoardWidget as BoardWidget
