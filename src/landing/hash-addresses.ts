/** Hashes where a remote leads: recorded in place of the addresses, which may hold a password. */
import { createHash } from "node:crypto"
import type { Remote } from "../git/ask/remote-branch.ts"

export const hashAddresses = ({ push, fetch }: Omit<Remote, "name">): string =>
  createHash("sha256").update(`${push}\n${fetch}`).digest("hex")
