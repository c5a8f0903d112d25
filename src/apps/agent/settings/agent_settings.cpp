#include "apps/agent/settings/agent_settings.h"

#include "apps/agent/service/agent_options.h"
#include "runtime/settings/log_settings.h"

#include <array>
#include <filesystem>

namespace muster::agent::cli {
namespace {

using runtime::setting;
using kind = runtime::setting_kind;

constexpr std::array declared{
    setting{
        .name = "server",
        .kind = kind::text,
        .description = "The cluster's entry; several addresses, with commas between, are tried in "
                       "turn.",
        .example = "https://muster1.acme.org:8443,https://muster2.acme.org:8443"},
    setting{
        .name = "ca",
        .kind = kind::path,
        .description = "The file with the cluster's CA, the only one that is trusted.",
        .example = "/etc/muster/ca.pem"},
    setting{
        .name = "ca_fingerprint",
        .kind = kind::text,
        .description = "The SHA-256 of the cluster's CA, in place of its file.",
        .example = "8f:2d:…"},
    setting{
        .name = "data",
        .kind = kind::path,
        .default_value = data_default,
        .description = "The directory of this system's key and journal.",
        .example = "/srv/muster-agent"},
    setting{
        .name = "name",
        .kind = kind::text,
        .description = "This system's name; the machine's full name when not set.",
        .example = "web1.acme.org"},
    // Not "token_file": MUSTER_TOKEN_FILE holds the API token of people's programs.
    setting{
        .name = "enrolment_token_file",
        .kind = kind::secret_file,
        .description = "The file with a one-time token by which this system is accepted.",
        .example = "/etc/muster/agent.token"},
    setting{
        .name = "activation_key",
        .kind = kind::text,
        .description = "The activation key by which this system is accepted; one that is secret "
                       "belongs into a file.",
        .example = "1-web"},
    setting{
        .name = "activation_key_file",
        .kind = kind::secret_file,
        .description = "The file with the activation key.",
        .example = "/etc/muster/activation.key"},
    setting{
        .name = "poll",
        .kind = kind::duration,
        .default_value = "10s",
        .minimum = "1s",
        .maximum = "1h",
        .description = "How often the cluster is asked while this system is not accepted.",
        .example = "1m"},
    setting{
        .name = "retry_max",
        .kind = kind::duration,
        .default_value = "1m",
        .minimum = "1s",
        .maximum = "1h",
        .description =
            "The longest pause between attempts to reach the cluster, unless it asks for "
            "more.",
        .example = "5m"},
    setting{
        .name = "proxy",
        .kind = kind::text,
        .description =
            "The SOCKS5 proxy through which the cluster is reached; it looks up the names.",
        .example = "socks5://127.0.0.1:1080"},
    setting{
        .name = "stay",
        .kind = kind::duration,
        .default_value = "0s",
        .minimum = "0s",
        .maximum = "1d",
        .description = "How long the agent stays with nothing to do before it ends; 0s: for ever.",
        .example = "30s"},
    setting{
        .name = "contact",
        .kind = kind::choice,
        .default_value = "default",
        .choices = "default|ssh-push|ssh-push-tunnel",
        .description =
            "How the cluster comes to this system, told as the fact `contact`; one that is "
            "visited over SSH is not default.",
        .example = "ssh-push"},
    setting{
        .name = "facts.directory",
        .kind = kind::path,
        .default_value = "/etc/muster/facts.d",
        .description = "Files with further facts: *.json, *.yaml, *.txt with NAME=VALUE lines.",
        .example = "/etc/muster/facts.d"},
    setting{
        .name = "facts.interval",
        .kind = kind::duration,
        .default_value = "5m",
        .minimum = "1s",
        .maximum = "1d",
        .description = "How often the machine is looked at again; what changed is sent.",
        .example = "1h"},
    setting{
        .name = "packages.family",
        .kind = kind::choice,
        .default_value = "auto",
        .choices = "auto|rpm|deb|none",
        .description = "Whose packages are told to the cluster; none: they are not.",
        .example = "none"},
    setting{
        .name = "packages.command",
        .kind = kind::text,
        .description = "What lists the packages in place of rpm or dpkg-query, in the same form; a "
                       "program and its arguments with blanks between.",
        .example = "/usr/local/bin/packages-of-the-image"},
    setting{
        .name = "packages.manager",
        .kind = kind::text,
        .description = "What packages.change runs: apt-get, dnf, yum or zypper; the machine's own "
                       "when not set.",
        .example = "/opt/bin/dnf"},
    setting{
        .name = "scenario",
        .kind = kind::choice,
        .default_value = "native",
        .choices = "native|salt",
        .description =
            "What a state means for this system: muster's own work, or a salt-minion whose "
            "master is the node.",
        .example = "salt"},
    setting{
        .name = "actions.new",
        .kind = kind::text,
        .description = "What is done when the system is new: configure, start, stop, run COMMAND, "
                       "with semicolons between; the scenario's own when not set.",
        .example = "run logger waiting for acceptance"},
    setting{
        .name = "actions.orphan",
        .kind = kind::text,
        .description = "The same when the cluster has no node for the system.",
        .example = "stop"},
    setting{
        .name = "actions.onboarded",
        .kind = kind::text,
        .description = "The same when a node serves the system.",
        .example = "configure; start"},
    setting{
        .name = "actions.deleted",
        .kind = kind::text,
        .description = "The same when the system was deleted, the last thing the agent does.",
        .example = "stop; run systemctl disable salt-minion"},
    setting{
        .name = "command_time",
        .kind = kind::duration,
        .default_value = "1m",
        .minimum = "1s",
        .maximum = "1h",
        .description = "How long a command of a scenario may take before it is killed.",
        .example = "5m"},
    setting{
        .name = "salt.config",
        .kind = kind::path,
        .default_value = "/etc/salt/minion.d/muster.conf",
        .description =
            "Where `configure` writes the minion's master; the old file is kept as FILE~.",
        .example = "/etc/salt/minion.d/muster.conf"},
    setting{
        .name = "salt.unit",
        .kind = kind::text,
        .default_value = "salt-minion",
        .description = "The unit of systemd that `start` and `stop` act on.",
        .example = "venv-salt-minion"},
    setting{
        .name = "salt.start_command",
        .kind = kind::text,
        .description = "What `start` runs in place of systemctl.",
        .example = "/etc/init.d/salt-minion start"},
    setting{
        .name = "salt.stop_command",
        .kind = kind::text,
        .description = "What `stop` runs in place of systemctl.",
        .example = "/etc/init.d/salt-minion stop"},
    setting{
        .name = "tasks.running_max",
        .kind = kind::integer,
        .default_value = "4",
        .minimum = "1",
        .maximum = "256",
        .description = "How many tasks run at once; further ones wait.",
        .example = "1"},
    setting{
        .name = "tasks.waiting_max",
        .kind = kind::integer,
        .default_value = "1000",
        .minimum = "0",
        .maximum = "10000",
        .description = "How many tasks may wait; further ones are refused.",
        .example = "50"},
    setting{
        .name = "tasks.wait_max",
        .kind = kind::duration,
        .default_value = "1h",
        .minimum = "1s",
        .maximum = "7d",
        .description = "How long a task may wait to be begun before it is refused.",
        .example = "10m"},
    setting{
        .name = "tasks.load_max_percent",
        .kind = kind::integer,
        .default_value = "0",
        .minimum = "0",
        .maximum = "10000",
        .description =
            "No task is begun while the machine's one-minute load is over so many percent "
            "of its cores; 0: always.",
        .example = "200"},
    setting{
        .name = "tasks.free_memory_min",
        .kind = kind::size,
        .default_value = "0B",
        .minimum = "0B",
        .maximum = "1TiB",
        .description = "No task is begun while the machine has less memory to spare; 0B: always.",
        .example = "256MiB"},
    setting{
        .name = "tasks.output_max",
        .kind = kind::size,
        .default_value = "1MiB",
        .minimum = "1KiB",
        .maximum = "4MiB",
        .description = "How much of a command's output is kept, unless its task says otherwise.",
        .example = "64KiB"},
    setting{
        .name = "tasks.remember",
        .kind = kind::duration,
        .default_value = "50h",
        .minimum = "1m",
        .maximum = "30d",
        .description =
            "How long a task is remembered after its report is on record, so that a late "
            "copy is not run.",
        .example = "7d"},
    setting{
        .name = "tasks.reboot_command",
        .kind = kind::text,
        .default_value = "systemctl reboot",
        .description = "What system.reboot runs.",
        .example = "shutdown -r +1"},
    setting{
        .name = "tasks.update_key_file",
        .kind = kind::path,
        .description =
            "The file with the Ed25519 public key whose signature agent.update needs; not "
            "set: no updates.",
        .example = "/etc/muster/update-key.pem"},
    setting{
        .name = "tasks.boot_id_file",
        .kind = kind::path,
        .default_value = "/proc/sys/kernel/random/boot_id",
        .description = "The file whose content differs after every start of the machine; in a "
                       "container one that its start writes.",
        .example = "/run/boot-id"},
    runtime::log_level_setting(runtime::takes_effect::at_restart),
    runtime::log_format_setting(),
};

}  // namespace

runtime::catalogue agent_settings() {
    return declared;
}

runtime::resolution resolve(const settings_input& input) {
    const std::filesystem::path file = input.config.empty() ? agent_settings_file : input.config;
    runtime::settings_source from_file;
    std::error_code ignored;
    if (!input.config.empty() || std::filesystem::exists(file, ignored))
        from_file = runtime::read_settings_file(agent_settings(), file);
    const auto environment =
        runtime::read_environment(agent_settings(), runtime::process_environment());
    return runtime::resolve(agent_settings(), {input.flags, environment, from_file});
}

}  // namespace muster::agent::cli
