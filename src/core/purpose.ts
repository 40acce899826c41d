/** The purpose of a process that a daemon starts. A landing starts `sign` and `merge`. */
export type Purpose = "agent" | "setup" | "gate" | "hook" | "sign" | "merge"
