/** Every tool of `coppice mcp`, by name. docs/mcp.md has the list, made from this table. */
import { ACTING } from "./acting-tools.ts"
import { DECIDING } from "./deciding-tools.ts"
import { READING } from "./reading-tools.ts"
import type { Tool } from "./tool.ts"

export const TOOLS: Readonly<Record<string, Tool>> = { ...READING, ...ACTING, ...DECIDING }
