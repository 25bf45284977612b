"""How static hosts turn files into URLs."""
