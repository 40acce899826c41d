/** Hashes the addresses of a remote. The store keeps the hash, since an address may hold a password. */
import { createHash } from "node:crypto"
import type { Addresses } from "../git/ask/addresses.ts"

export const hashAddresses = ({ push, fetch }: Addresses): string =>
  createHash("sha256").update(`${push}\n${fetch}`).digest("hex")
