-- John Smith moves a gaslight: which one to put out, and where to light it again.

-- Numbered lights burn out by themselves (1 to 4): the detective saves those that stay, Jack puts them out.
local function save(turn, option)
  if option.tile > 0 then
    return 0.01
  end
  return 0
end

local function put_out(turn, option)
  if option.tile > 0 then
    return 0
  end
  return 0.01
end

return function(turn)
  return best_option(turn, save, put_out)
end
