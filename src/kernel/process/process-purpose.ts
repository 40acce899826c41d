/** The purposes of the processes that a daemon starts: agent, set-up, gate and others. A landing starts `sign` and `merge`. */
export type Purpose = "agent" | "setup" | "gate" | "hook" | "sign" | "merge" | "terminal"

/** Whether a process does the work of a task; a terminal does the work of a person. */
export const isWork = (purpose: Purpose): boolean => purpose !== "terminal"
