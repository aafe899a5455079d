//! seccomp: system calls that a program has no business with. A list of what is forbidden, not of what is allowed: any
//! language must run, and what it needs changes with every release.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};

use super::plan::Confine;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// No honest program does this: whoever tries has broken out or wants to, and is ended at once (SIGSYS).
const FATAL: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_bpf,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
];

/// Runtimes try these and go on without: they are told that the kernel has no such call. `clone3` is among them because
/// its flags cannot be seen by a filter; everybody falls back to `clone`.
const MISSING: &[i64] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_clone3,
    libc::SYS_userfaultfd,
    libc::SYS_perf_event_open,
];

/// The flags of `clone` that make a namespace; in a new one a program would have rights again.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// The requests of `ioctl` that type into a terminal: TIOCSTI and TIOCLINUX.
const TYPING: [u64; 2] = [0x5412, 0x541c];

/// The bit of the calls of the x32 interface, which would be a way around the list.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;

/// Whether filters can be made for this processor.
pub(crate) fn is_supported() -> bool {
    TargetArch::try_from(std::env::consts::ARCH).is_ok()
}

pub(super) fn restrict(confine: Confine) -> io::Result<()> {
    if !is_supported() {
        return Ok(());
    }
    let failed = |error: &dyn std::fmt::Display| io::Error::other(format!("seccomp: {error}"));
    let programs = [
        compile(fatal(), SeccompAction::KillProcess),
        compile(always(MISSING), SeccompAction::Errno(libc::ENOSYS as u32)),
        denied(confine).and_then(|rules| compile(rules, SeccompAction::Errno(libc::EACCES as u32))),
    ];
    for program in programs {
        apply_filter(&program.map_err(|error| failed(&error))?).map_err(|error| failed(&error))?;
    }
    Ok(())
}

fn compile(rules: Rules, action: SeccompAction) -> Result<BpfProgram, seccompiler::BackendError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, action, arch)?.try_into()
}

fn always(calls: &[i64]) -> Rules {
    calls.iter().map(|&call| (call, Vec::new())).collect()
}

fn fatal() -> Rules {
    let rules = always(FATAL);
    #[cfg(target_arch = "x86_64")]
    let rules = {
        let mut rules = rules;
        // Calls of the x32 interface have the same numbers, or numbers from 512 on.
        let same =
            FATAL.iter().chain(MISSING).chain(&[libc::SYS_socket, libc::SYS_clone, libc::SYS_ioctl]).copied();
        rules.extend(same.chain(512..=547).map(|call| (call | X32, Vec::new())));
        rules
    };
    rules
}

fn denied(confine: Confine) -> Result<Rules, seccompiler::BackendError> {
    let when = |argument, operator, value| {
        SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?])
    };
    let mut rules = Rules::new();
    // In a namespace of its own there is nobody else behind a socket of the machine. Without one there are services that
    // start programs for whoever asks, so that there is no socket at all.
    let sockets = match confine {
        Confine::Bubblewrap => vec![when(0, SeccompCmpOp::Ne, libc::AF_UNIX as u64)?],
        Confine::No | Confine::Own => Vec::new(),
    };
    rules.insert(libc::SYS_socket, sockets);
    // One rule a flag: a comparison under a mask asks for a value, not for any of several bits.
    let namespaces = NAMESPACES.into_iter().map(|flag| {
        let flag = u64::from(flag.cast_unsigned());
        when(0, SeccompCmpOp::MaskedEq(flag), flag)
    });
    rules.insert(libc::SYS_clone, namespaces.collect::<Result<_, _>>()?);
    let typing = TYPING.into_iter().map(|request| when(1, SeccompCmpOp::Eq, request));
    rules.insert(libc::SYS_ioctl, typing.collect::<Result<_, _>>()?);
    if confine == Confine::Own {
        // Without a namespace of their own, queues and shared memory outlive a program and reach others.
        for call in [libc::SYS_shmget, libc::SYS_semget, libc::SYS_msgget, libc::SYS_mq_open] {
            rules.insert(call, Vec::new());
        }
    }
    Ok(rules)
}
