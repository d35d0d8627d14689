"""Looking at the machine before a league is opened on it: what would let the host down later."""
