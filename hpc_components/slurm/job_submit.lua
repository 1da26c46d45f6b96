
-- whether one of the queues named, with commas between them, is of those whose jobs are not put back
local function any_stays_down(queues)
  for name in string.gmatch(queues or default_queue, "[^,]+") do
    if stays_down[name] then
      return true
    end
  end
  return false
end

function slurm_job_submit(job, partitions, user)
  if any_stays_down(job.partition) then
    job.requeue = 0
  end
  return slurm.SUCCESS
end

function slurm_job_modify(change, job, partitions, user)
  if any_stays_down(change.partition or job.partition) then
    change.requeue = 0
  end
  return slurm.SUCCESS
end
