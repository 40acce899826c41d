/** A folder is in use while its task works, or has a running process. */
export const IN_USE = `
  (exists (select 1 from tasks user where user.id = folder_leases.task and user.state in ('planning', 'working'))
    or exists (select 1 from processes where processes.task = folder_leases.task))`
