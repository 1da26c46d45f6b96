#%Module1.0
# EESSI's modules are for Lmod, which it brings along: the shell changes to that, as EESSI's documentation says for
# clusters with another modules tool. Source: EESSI/docs, docs/using_eessi/setting_up_environment.md
set version [file tail $ModulesCurrentModulefile]
module-whatis "EESSI $version: scientific software for this machine's CPU. Replaces the cluster's modules in this shell"
set shell [module-info shell]
set init /cvmfs/software.eessi.io/versions/$version/init/lmod/$shell
if {[module-info mode load]} {
    if {![file exists $init]} {
        puts stderr "EESSI $version does not answer on this node, or does not support $shell"
        break
    }
    puts stdout "module purge; unset MODULEPATH LOADEDMODULES _LMFILES_; . $init;"
}
