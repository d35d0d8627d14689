"""The league server: seats bots, referees their games, runs events."""
