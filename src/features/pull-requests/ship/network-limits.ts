/** How long a landing asks a remote, and what its task waits for then. */
import type { Remote } from "../../../kernel/git/ask/remote-branch.ts"
import type { Step } from "../../../kernel/landing/action.ts"
import { waitingFor } from "../../../kernel/waits/waits.ts"

/** A push or fetch of a large repository takes minutes; one that hangs ends. */
const NETWORK_MS_MAX = 5 * 60_000

export const network = ({ signal }: Step) => ({ timeoutMs: NETWORK_MS_MAX, signal })

const ANSWERS = "it answers, or its five minutes are over: then the landing waits, and tries again"

/** While `work` asks the remote, its task waits for the remote. */
export const askRemote = <T>({ name }: Pick<Remote, "name">, work: () => Promise<T>): Promise<T> =>
  waitingFor({ text: `the remote ${name} to answer`, unblock: ANSWERS }, work)
