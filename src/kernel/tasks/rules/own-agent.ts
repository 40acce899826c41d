/** Leaves out of a task which other agent works on it now. */
import type { WorkedBy } from "../../../config/agent-of-task.ts"

/** The task's own agent, also while another one plans or has taken over. */
export const ownAgent = ({ agent, program }: WorkedBy): WorkedBy => ({ agent, program })
