/** Hashes the addresses of a remote. The store keeps the hash, since an address may hold a password. */
import { createHash } from "node:crypto"
import type { Remote } from "../git/ask/remote-branch.ts"

export const hashAddresses = ({ push, fetch }: Omit<Remote, "name">): string =>
  createHash("sha256").update(`${push}\n${fetch}`).digest("hex")
