#include "apps/muster/cli/rollout_flags.h"

namespace muster::cli {

void add_rollout_flags(command_line::command& verb, run_flags& flags) {
    verb.add_option(
            "--at",
            flags.start_time,
            "Earliest start: a time such as 2026-11-16T22:00:00Z, or an offset such as +2h")
        ->type_name("TIME");
    verb.add_option(
            "--window",
            flags.windows,
            "Use of maintenance windows: respect (start only if the task ends within a window; "
            "default for changes), start (start within a window), ignore (default for functions "
            "that change nothing), override (emergency)")
        ->type_name("RULE");
    verb.add_option("--batch", flags.batch, "Maximum systems at the same time: 10 or 25%")
        ->type_name("AMOUNT");
    verb.add_option(
            "--batch-wait",
            flags.batch_wait,
            "Pause before a free place in the batch is used again, e.g. 5s")
        ->type_name("DURATION");
    verb.add_option("--rate", flags.rate, "Maximum task starts per second, in the whole cluster")
        ->type_name("NUMBER");
    verb.add_option(
            "--canary",
            flags.canary,
            "Number of canary systems: 3 or 5%; other systems start after all canaries succeeded")
        ->type_name("AMOUNT");
    verb.add_option(
            "--canary-wait",
            flags.canary_wait,
            "Pause between the canaries and the other systems, e.g. 10m")
        ->type_name("DURATION");
    verb.add_option(
            "--max-failures",
            flags.max_failures,
            "Maximum failed systems before the job is halted: 5 or 1%")
        ->type_name("AMOUNT");
    verb.add_option("--retry", flags.retries, "Number of retries after a failure")
        ->type_name("NUMBER");
    verb.add_option(
            "--retry-wait",
            flags.retry_wait,
            "Pause before the first retry, e.g. 10s; doubles with each retry")
        ->type_name("DURATION");
    verb.add_option("--timeout", flags.timeout, "Timeout of one attempt, e.g. 1h")
        ->type_name("DURATION");
    verb.add_option("--expires", flags.expires, "Time after which queued tasks expire, e.g. 24h")
        ->type_name("DURATION");
    verb.add_option(
            "--priority", flags.priority, "Priority from -1000 to 1000; higher numbers start first")
        ->type_name("NUMBER");
    verb.add_option(
            "--weight",
            flags.weight,
            "Share among jobs of the same priority, from 1 to 1000 (default 10)")
        ->type_name("NUMBER");
    verb.add_option("--after", flags.parents, "Job that must complete first; may be repeated")
        ->type_name("JOB");
    auto* const on_return_flag =
        verb.add_flag("--on-return", flags.on_return, "Run on offline systems when they reconnect");
    verb.add_flag("--no-on-return", flags.no_on_return, "Fail tasks of offline systems")
        ->excludes(on_return_flag);
    verb.add_flag(
        "--may-run-again", flags.may_run_again, "Allow an interrupted attempt to run again");
    verb.add_option("--note", flags.note, "Note, stored with the job")->type_name("TEXT");
}

}  // namespace muster::cli
