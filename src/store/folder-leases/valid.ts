/** When a folder is in use: its task is at work, or has a process that has not ended yet. */
export const IN_USE = `
  (exists (select 1 from tasks user where user.id = folder_leases.task and user.state in ('planning', 'working'))
    or exists (select 1 from processes where processes.task = folder_leases.task))`
