"""Who may use BURP and how much: users, tokens, ledger, prices, budgets."""
