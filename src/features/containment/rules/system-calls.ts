/**
 * The filter of system calls for a program in a sandbox of bubblewrap, as a program for the kernel. Pure.
 *
 * No namespace covers the kernel's keyrings, virtual sockets, or what root may ask in a namespace of its
 * own. The filter forbids what container engines forbid by default, and set-user-id and set-group-id bits:
 * another user could run such a file. A new folder still inherits its group.
 *
 * @see https://www.kernel.org/doc/html/latest/userspace-api/seccomp_filter.html
 * @see https://github.com/moby/profiles/blob/main/seccomp/default.json
 */

/** Forbidden whatever the arguments. A line per place for which the kernel counts calls. */
const FORBIDDEN = {
  x86_64: `add_key 248 request_key 249 keyctl 250 syslog 103 vhangup 153 pivot_root 155 acct 163
    settimeofday 164 mount 165 umount2 166 swapon 167 swapoff 168 reboot 169 sethostname 170
    setdomainname 171 iopl 172 ioperm 173 init_module 175 delete_module 176 quotactl 179
    lookup_dcookie 212 clock_settime 227 kexec_load 246 unshare 272 perf_event_open 298
    fanotify_init 300 open_by_handle_at 304 clock_adjtime 305 setns 308 kcmp 312 finit_module 313
    kexec_file_load 320 bpf 321 userfaultfd 323`,
  i386: `add_key 286 request_key 287 keyctl 288 umount 22 stime 25 acct 51 umount2 52 mount 21
    sethostname 74 settimeofday 79 swapon 87 reboot 88 ioperm 101 syslog 103 iopl 110 vhangup 111
    swapoff 115 setdomainname 121 init_module 128 delete_module 129 quotactl 131 vm86 166
    vm86old 113 pivot_root 217 lookup_dcookie 253 clock_settime 264 kexec_load 283 unshare 310
    perf_event_open 336 fanotify_init 338 open_by_handle_at 342 clock_adjtime 343 setns 346 kcmp 349
    finit_module 350 bpf 357 userfaultfd 374 clock_settime64 404 clock_adjtime64 405`,
  aarch64: `add_key 217 request_key 218 keyctl 219 lookup_dcookie 18 umount2 39 mount 40
    pivot_root 41 vhangup 58 quotactl 60 acct 89 unshare 97 kexec_load 104 init_module 105
    delete_module 106 clock_settime 112 syslog 116 reboot 142 sethostname 161 setdomainname 162
    settimeofday 170 swapon 224 swapoff 225 perf_event_open 241 fanotify_init 262
    open_by_handle_at 265 clock_adjtime 266 setns 268 kcmp 272 finit_module 273 bpf 280
    userfaultfd 282 kexec_file_load 294`,
  everywhere: `io_uring_setup 425 io_uring_enter 426 io_uring_register 427 open_tree 428
    move_mount 429 fsopen 430 fsconfig 431 fsmount 432 fspick 433 mount_setattr 442 quotactl_fd 443
    open_tree_attr 467`,
} as const

/** The filter cannot see arguments in memory. Programs use the older call instead. */
const UNSEEN = {
  x86_64: "",
  aarch64: "",
  i386: "socketcall 102",
  everywhere: "clone3 435 openat2 437",
}

type Architecture = "x86_64" | "i386" | "aarch64"
type Numbers = Readonly<Record<Architecture, number | undefined>>
type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, value: number]

const AUDIT: Readonly<Record<Architecture, number>> = {
  x86_64: 0xc000003e,
  i386: 0x40000003,
  aarch64: 0xc00000b7,
}
/** By the name that Node gives; all others have no filter. */
const ARCHITECTURES: Readonly<Record<string, readonly Architecture[]>> = {
  x64: ["x86_64", "i386"],
  arm64: ["aarch64"],
}

const [LOAD, JUMP, EQUAL, AT_LEAST, ANY_BIT, RETURN] = [0x20, 0x05, 0x15, 0x35, 0x45, 0x06]
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97]
const ALLOW: Instruction = [RETURN, 0, 0, 0x7fff0000]
const fail = (errno: number): Instruction => [RETURN, 0, 0, 0x00050000 | errno]
/** From here on x86_64 counts the calls of another mode. */
const X32 = 0x40000000
const [NUMBER_AT, ARCHITECTURE_AT] = [0, 4]
const load = (at: number): Instruction => [LOAD, 0, 0, at]
/** The low half: no argument here has more. */
const argument = (n: number): Instruction => load(16 + 8 * n)

/** Set-user-id and set-group-id. */
const SET_IDS = 0o6000
/** O_CREAT and O_TMPFILE; without one of them there is no mode. */
const CREATES = 0x400040
const NEW_NAMESPACE = 0x7e020000
const AF_VSOCK = 40

const anyBit = (bits: number, errno: number): Instruction[] => [[ANY_BIT, 0, 1, bits], fail(errno)]
const noSetIds = (mode: number) => [argument(mode), ...anyBit(SET_IDS, EPERM), ALLOW]
const noSetIdsAtOpen = (flags: number) => [
  argument(flags),
  [ANY_BIT, 1, 0, CREATES] as const,
  ALLOW,
  ...noSetIds(flags + 1),
]

const numbers = (x86_64?: number, i386?: number, aarch64?: number): Numbers => ({
  x86_64,
  i386,
  aarch64,
})

/** Calls that depend on their arguments. */
const JUDGED: readonly (readonly [Numbers, readonly Instruction[]])[] = [
  [numbers(56, 120, 220), [argument(0), ...anyBit(NEW_NAMESPACE, EPERM), ALLOW]], // clone
  [numbers(41, 359, 198), [argument(0), [EQUAL, 0, 1, AF_VSOCK], fail(EAFNOSUPPORT), ALLOW]], // socket
  [numbers(90, 15), noSetIds(1)], // chmod
  [numbers(91, 94, 52), noSetIds(1)], // fchmod
  [numbers(268, 306, 53), noSetIds(2)], // fchmodat
  [numbers(452, 452, 452), noSetIds(2)], // fchmodat2
  [numbers(133, 14), noSetIds(1)], // mknod
  [numbers(259, 297, 33), noSetIds(2)], // mknodat
  [numbers(85, 8), noSetIds(1)], // creat
  [numbers(2, 5), noSetIdsAtOpen(1)], // open
  [numbers(257, 295, 56), noSetIdsAtOpen(2)], // openat
]

/** @param arch as in `process.arch`. @returns undefined: we know no numbers of calls there. */
export function systemCallFilter(arch: string): Buffer | undefined {
  const known = ARCHITECTURES[arch]
  if (!known) return undefined
  const program: Instruction[] = [load(ARCHITECTURE_AT)]
  for (const one of known) {
    const rules = rulesOf(one)
    program.push([EQUAL, 1, 0, AUDIT[one]], [JUMP, 0, 0, rules.length], ...rules)
  }
  return encode([...program, fail(ENOSYS)])
}

function rulesOf(one: Architecture): Instruction[] {
  const other: Instruction[] = one === "x86_64" ? [[AT_LEAST, 0, 1, X32], fail(ENOSYS)] : []
  const judged = JUDGED.flatMap(([{ [one]: number }, then]): Instruction[] =>
    number === undefined ? [] : [[EQUAL, 0, then.length, number], ...then],
  )
  return [
    load(NUMBER_AT),
    ...other,
    ...judged,
    ...listNumbers(UNSEEN, one).flatMap((number) => refuse(number, ENOSYS)),
    ...listNumbers(FORBIDDEN, one).flatMap((number) => refuse(number, EPERM)),
    ALLOW,
  ]
}

const refuse = (number: number, errno: number): Instruction[] => [
  [EQUAL, 0, 1, number],
  fail(errno),
]

const listNumbers = (
  table: Readonly<Record<Architecture | "everywhere", string>>,
  one: Architecture,
): number[] => `${table[one]} ${table.everywhere}`.match(/(?<=\s|^)\d+(?=\s|$)/g)!.map(Number)

/** `struct sock_filter`, in the order of bytes of both processors. */
function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8)
  program.forEach(([code, jumpTrue, jumpFalse, value], n) => {
    bytes.writeUInt16LE(code, n * 8)
    bytes.writeUInt8(jumpTrue, n * 8 + 2)
    bytes.writeUInt8(jumpFalse, n * 8 + 3)
    bytes.writeUInt32LE(value, n * 8 + 4)
  })
  return bytes
}
