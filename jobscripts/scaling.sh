#!/usr/bin/env bash
# Strong scaling: the same system on 1, 2, 4, ... ranks up to all of a job, a few hundred steps each; one job.
#
#   sbatch --nodes=4 --ntasks-per-node=32 --exclusive --time=2:00:00 jobscripts/scaling.sh INPUT OUTPUT [STEPS]
#   qsub -l select=4:ncpus=32:mpiprocs=32 -l place=excl -l walltime=2:00:00 -v INPUT=...,OUTPUT=... jobscripts/scaling.sh
#   INPUT=... OUTPUT=... bsub -n 128 -R "span[ptile=32]" -x -W 2:00 < jobscripts/scaling.sh
#   jobscripts/scaling.sh INPUT OUTPUT [STEPS]           without a batch system, on all cores of this machine
#
# Writes OUTPUT/scaling.csv: ranks, ns/day, speed-up and efficiency against the first run. HOLON_LAUNCH names another
# launcher, RANKS other numbers of ranks. (No directives in here: sbatch would also heed those of the other systems.)
set -u
cd "${PBS_O_WORKDIR:-.}" || exit

input=${1:-${INPUT:?folder with md.mdp, conf.gro and topol.top}}
output=${2:-${OUTPUT:?folder for the results}}
steps=${3:-${STEPS:-500}}

if [ -n "${SLURM_NTASKS:-}" ]; then
    all=$SLURM_NTASKS launch=${HOLON_LAUNCH:-srun}
elif [ -n "${PBS_NODEFILE:-}" ]; then
    all=$(wc -l <"$PBS_NODEFILE") launch=${HOLON_LAUNCH:-mpirun}
else
    all=${LSB_DJOB_NUMPROC:-$(nproc)} launch=${HOLON_LAUNCH:-mpirun}
fi
if [ -z "${RANKS:-}" ]; then
    RANKS=
    for ((n = 1; n < all; n *= 2)); do RANKS+="$n "; done
    RANKS+=$all
fi

mkdir -p "$output"
table=$output/scaling.csv
echo "ranks,ns_per_day,speed_up,efficiency" | tee "$table"
base=
for ranks in $RANKS; do
    run=$output/np$ranks
    # shellcheck disable=SC2086 # several words
    if ! $launch -n "$ranks" holon-md -f "$input/md.mdp" -c "$input/conf.gro" -p "$input/topol.top" -o "$run" \
        --overwrite --nsteps "$steps" >"$output/np$ranks.out" 2>&1; then
        echo "$ranks ranks failed: see $output/np$ranks.out" >&2
        continue
    fi
    speed=$(sed -n 's/.*"ns_per_day": \([^,]*\),.*/\1/p' "$run/summary.json")
    base=${base:-"$speed $ranks"}
    echo "$base $speed $ranks" |
        awk '{ up = $3 / $1 * $2; printf "%d,%.4g,%.3f,%.3f\n", $4, $3, up, up / $4 }' | tee -a "$table"
done
