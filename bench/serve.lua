-- For wrk: POST of one file after the other. Arguments: the type of the bodies, then the files.
local bodies = {}

function init(args)
   wrk.method = "POST"
   wrk.headers["Content-Type"] = args[1]
   for i = 2, #args do
      local file = assert(io.open(args[i], "rb"))
      bodies[#bodies + 1] = file:read("*a")
      file:close()
   end
   math.randomseed(os.time())
   at = math.random(#bodies)
end

function request()
   at = at % #bodies + 1
   return wrk.format(nil, nil, nil, bodies[at])
end

function done(summary, latency)
   io.write(string.format("result %d %d %d %.3f %.3f\n", summary.requests, summary.duration,
      summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
      latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
