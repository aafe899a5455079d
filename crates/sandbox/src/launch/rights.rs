//! Landlock: which files a program may open, and that it can neither signal nor reach what is outside.

use std::io;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, Scope, path_beneath_rules,
};

use super::plan::{Confine, Plan};
use super::{bubblewrap, system};

/// Everything that is known of is taken away; what this kernel does not know yet stays as it was.
const KNOWN: ABI = ABI::V6;

pub(super) fn restrict(plan: &Plan) -> io::Result<()> {
    try_restrict(plan).map_err(|error| io::Error::other(format!("Landlock: {error}")))
}

fn try_restrict(plan: &Plan) -> Result<(), RulesetError> {
    let read = AccessFs::from_read(KNOWN);
    let all = AccessFs::from_all(KNOWN);
    let rules = Ruleset::default()
        .handle_access(all)?
        .handle_access(AccessNet::from_all(KNOWN))?
        .scope(Scope::from_all(KNOWN))?
        .create()?
        .add_rules(path_beneath_rules(system::DEVICES, AccessFs::ReadFile | AccessFs::WriteFile))?;
    let rules = match plan.confine {
        // There is nothing else to be seen.
        Confine::Bubblewrap => rules
            .add_rules(path_beneath_rules(["/"], read))?
            .add_rules(path_beneath_rules([bubblewrap::TMP, "/dev/shm"], all))?,
        Confine::No | Confine::Own => rules
            .add_rules(path_beneath_rules(system::FOLDERS, read))?
            .add_rules(path_beneath_rules(system::settings(), read))?
            .add_rules(path_beneath_rules(["/proc"], AccessFs::ReadFile | AccessFs::ReadDir))?
            .add_rules(path_beneath_rules(&plan.read, read))?
            .add_rules(path_beneath_rules(&plan.scratch, all))?,
    };
    let rules = rules.add_rules(path_beneath_rules(&plan.write, all))?;
    // Best effort: what was missing was told when the sandbox was prepared.
    rules.restrict_self().map(drop)
}

/// Whether this kernel can protect files.
pub(crate) fn protects_files() -> bool {
    let required = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    required.handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok()
}

/// Whether this kernel can keep signals and sockets in.
pub(crate) fn protects_signals() -> bool {
    let required = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    required.scope(Scope::from_all(KNOWN)).and_then(Ruleset::create).is_ok()
}
