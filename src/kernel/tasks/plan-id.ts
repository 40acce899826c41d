/** Names a plan by its text, so that an approval means exactly the plan that a person saw. */
import { createHash } from "node:crypto"

/** An agent writes its plans, so the hash must resist one that looks for two plans with one name. */
export const planId = (text: string): string => createHash("sha256").update(text).digest("hex")
