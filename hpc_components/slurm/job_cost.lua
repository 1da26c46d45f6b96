
-- NO_VAL and NO_VAL16: the user has not set the value. Source: Slurm source code, slurm/slurm.h
local UNSET, UNSET_SHORT = 4294967294, 65534

local function given(value, unset)
  if value ~= nil and value > 0 and value < (unset or UNSET) then
    return value
  end
end

local function gpus_in(text) -- of `gres/gpu:l4:2`, `gres:gpu=2` or a list of such words; shares of GPUs do not count
  local count = 0
  for word in string.gmatch(text or "", "[^,]+") do
    local rest = string.match("/" .. word, "[/:]gpu(.*)$")
    if rest then
      count = count + tonumber(string.match(rest, "[:=](%d+)%a?$") or 1)
    end
  end
  return count
end

local function hourly(job, node) -- USD: the largest share of the nodes that the job takes
  local nodes, tasks = given(job.min_nodes) or 1, given(job.num_tasks) or 1
  if job.shared == 0 or node.whole then -- --exclusive, or a queue that gives each job whole nodes
    return nodes * node.usd
  end
  local cpus = math.max(given(job.min_cpus) or 1, tasks * (given(job.cpus_per_task, UNSET_SHORT) or 1), nodes)
  cpus = math.ceil(cpus / node.threads) * node.threads
  local per_node = job.min_mem_per_node == 0 and node.memory or given(job.min_mem_per_node) or 0 -- --mem=0: all of it
  local memory = per_node * nodes + (given(job.min_mem_per_cpu) or 0) * cpus
  local gpus = gpus_in(job.tres_per_node) * nodes + gpus_in(job.tres_per_task) * tasks + gpus_in(job.tres_per_job)
  local share = math.max(cpus / node.cpus, memory / node.memory, node.gpus > 0 and gpus / node.gpus or 0)
  return share * node.usd
end

local function cost_in(job, queue) -- the sentence for the user, and USD
  local node = nodes_of[queue]
  local usd, minutes = hourly(job, node), given(job.time_limit) or node.minutes
  if minutes == nil then
    return string.format("costs %.2f USD an hour, at %s price", usd, node.basis), usd
  end
  local most = usd * minutes / 60
  return string.format("costs up to %.2f USD, at %s price (%.2f USD an hour)", most, node.basis, usd), most
end

local function tell_cost(job)
  local dearest, sentence = -1, nil
  for queue in each_queue(job.partition) do
    if nodes_of[queue] then
      local words, usd = cost_in(job, queue)
      if usd > dearest then
        dearest, sentence = usd, words
      end
    end
  end
  if sentence then
    slurm.log_user(sentence)
  end
end

local without_cost = slurm_job_submit

function slurm_job_submit(job, partitions, user)
  local result = without_cost(job, partitions, user)
  if result == slurm.SUCCESS then
    tell_cost(job)
  end
  return result
end
