-- Miss Stealthy crosses everything and has no other power: only the worth of her place is asked for.

return function(turn)
  return best_option(turn)
end
