#!/usr/bin/env bash
# A chain of jobs, each of which waits for the one before and goes on where that stopped: where jobs may not queue
# themselves again, or a run shall keep its place in the queue.
#
#   jobscripts/chain.sh slurm|pbs|lsf COUNT INPUT OUTPUT [OPTIONS OF sbatch, qsub OR bsub]
#
# A job that finds the run finished ends at once.
set -eu

usage="usage: $0 slurm|pbs|lsf COUNT INPUT OUTPUT [OPTIONS]"
system=${1:?$usage} count=${2:?$usage} input=${3:?$usage} output=${4:?$usage}
shift 4
scripts=$(dirname "$0")

last=
for ((job = 1; job <= count; ++job)); do
    case $system in
        slurm)
            last=$(HOLON_REQUEUE=no sbatch --parsable ${last:+--dependency=afterany:"$last"} "$@" \
                "$scripts/holon.slurm" "$input" "$output")
            last=${last%%;*} # without the name of the cluster
            ;;
        pbs)
            last=$(qsub ${last:+-W depend=afterany:"$last"} "$@" \
                -v INPUT="$input",OUTPUT="$output",HOLON_REQUEUE=no "$scripts/holon.pbs")
            ;;
        lsf)
            last=$(INPUT=$input OUTPUT=$output HOLON_REQUEUE=no bsub ${last:+-w "ended($last)"} "$@" \
                <"$scripts/holon.lsf" | sed -n 's/^Job <\([0-9]*\)>.*/\1/p')
            ;;
        *)
            echo "$usage" >&2
            exit 2
            ;;
    esac
    echo "job $job of $count: $last"
done
