local default_queue = "nlp"
local stays_down = {  }
local shares_of_a_gpu = { ["nlp"] = { shard = 4 } }

local INVALID_GRES = 2072 -- ESLURM_INVALID_GRES: Slurm's "Invalid generic resource (gres) specification"

local function each_queue(names) -- separated by commas; nil is the default queue
  return string.gmatch(names or default_queue, "[^,]+")
end

local function keep_down(job, queues) -- applies to the user's own changes; the elastic daemon may requeue such a job
  for queue in each_queue(queues) do
    if stays_down[queue] then
      job.requeue = 0
    end
  end
end

local function too_many_shares(job, queues) -- the message for the user, or nil
  local asked = (job.tres_per_node or "") .. "," .. (job.tres_per_task or "")
  for queue in each_queue(queues) do
    for kind, most in pairs(shares_of_a_gpu[queue] or {}) do
      local count = 0 -- shard:2, shard=2, shard:l4:2, shard, also in a list
      for word in string.gmatch(asked, "[^,]+") do
        local rest = string.match("/" .. word, "[/:]" .. kind .. "(.*)$")
        if rest then
          count = count + tonumber(string.match(rest, "[:=](%d+)%a?$") or 1)
        end
      end
      if count > most then
        return string.format("%s:%d exceeds what a GPU of queue %s has: request at most %d", kind, count, queue, most)
      end
    end
  end
end

function slurm_job_submit(job, partitions, user)
  keep_down(job, job.partition)
  local told = too_many_shares(job, job.partition)
  if told then
    slurm.log_user(told)
    return INVALID_GRES
  end
  return slurm.SUCCESS
end

function slurm_job_modify(change, job, partitions, user)
  local queues = change.partition or job.partition
  if user == job.user_id then
    keep_down(change, queues)
  end
  return too_many_shares(change, queues) and INVALID_GRES or slurm.SUCCESS
end
