#include "apps/agent/service/agent_options.h"

#include "adapters/net/http/url.h"
#include "adapters/os/file.h"
#include "adapters/pki/certificate.h"
#include "adapters/pki/fingerprint.h"
#include "base/hex.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace muster::agent {
namespace {

constexpr std::size_t entries_max = 32;

result<std::vector<std::string>> parse_entries(std::string_view text) {
    std::vector<std::string> entries;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        std::string url(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        while (url.ends_with('/') || url.ends_with(' ')) url.pop_back();
        while (url.starts_with(' ')) url.erase(0, 1);
        if (url.empty()) continue;
        if (!url.contains("://")) url = "https://" + url;
        const auto parsed = net::http::parse_url(url);
        if (!parsed) return fail(parsed.error().with_context("server"));
        if (parsed->transport != net::http::url::security::tls || parsed->target != "/")
            return fail(errc::invalid, "server: expected https://HOST:PORT, got " + url);
        entries.push_back(std::move(url));
    }
    if (entries.empty())
        return fail(errc::invalid, "server: not set; give the address of a gateway");
    if (entries.size() > entries_max)
        return fail(
            errc::invalid, fmt::format("server: limit of {} addresses exceeded", entries_max));
    return entries;
}

result<net::trust> read_trust(const runtime::settings& settings) {
    if (settings.has("ca_fingerprint")) {
        auto fingerprint = pki::fingerprint::parse(settings.text("ca_fingerprint"));
        if (!fingerprint) return fail(fingerprint.error().with_context("ca_fingerprint"));
        return net::pinned_authority{*std::move(fingerprint)};
    }
    if (!settings.has("ca")) {
        return fail(errc::invalid, "ca: not set; set ca or ca_fingerprint");
    }
    const auto text = os::load_file(settings.path("ca"));
    if (!text) return fail(text.error().with_context("ca"));
    auto authorities = pki::certificate::chain_from_pem(*text);
    if (!authorities) return fail(authorities.error().with_context("ca"));
    return net::trusted_authorities{*std::move(authorities)};
}

result<std::optional<net::endpoint>> parse_proxy(const runtime::settings& settings) {
    constexpr std::string_view scheme = "socks5://";
    const auto text = settings.optional_text("proxy").value_or("");
    if (text.empty()) return std::nullopt;
    if (!text.starts_with(scheme))
        return fail(errc::invalid, "proxy: expected socks5://HOST:PORT, got " + text);
    auto address = net::parse_endpoint(text.substr(scheme.size()));
    if (!address) return fail(address.error().with_context("proxy"));
    return *std::move(address);
}

struct state_setting {
    const char* name;
    actions state_actions::* list;
};

result<state_actions> read_state_actions(const runtime::settings& settings) {
    constexpr std::array state_settings{
        state_setting{"actions.new", &state_actions::fresh},
        state_setting{"actions.orphan", &state_actions::orphan},
        state_setting{"actions.onboarded", &state_actions::onboarded},
        state_setting{"actions.deleted", &state_actions::deleted}};
    auto actions =
        default_actions(settings.text("scenario") == "salt" ? backend::salt : backend::native);
    for (const auto& setting : state_settings) {
        if (!settings.has(setting.name)) continue;
        auto list = parse_actions(settings.text(setting.name));
        if (!list) return fail(list.error().with_context(setting.name));
        actions.*setting.list = *std::move(list);
    }
    return actions;
}

// The content of a secret file named by a setting; empty if the setting is not set.
result<std::string> read_secret_setting(const runtime::settings& settings, const char* name) {
    if (!settings.has(name)) return std::string();
    auto secret = runtime::read_secret(settings.path(name));
    if (!secret) return fail(secret.error().with_context(name));
    return secret;
}

// Directory for the scripts of tasks. Other users must be able to enter it, and the next run of the
// agent must find it.
std::filesystem::path scripts_directory(const std::filesystem::path& data) {
    constexpr std::size_t digits = 16;
    const auto directory = std::filesystem::absolute(data).lexically_normal().string();
    std::error_code failure;  // in an empty root directory: then scripts are refused
    auto temporary = std::filesystem::temp_directory_path(failure);
    if (failure) temporary = "/tmp";
    return temporary / ("muster-agent-" + to_hex(pki::sha256(directory)).substr(0, digits));
}

result<update_options> read_update_options(const runtime::settings& settings) {
    std::error_code failure;
    update_options options{
        .key = std::nullopt, .program = std::filesystem::read_symlink("/proc/self/exe", failure)};
    if (!settings.has("tasks.update_key_file")) return options;
    const auto text = os::load_file(settings.path("tasks.update_key_file"));
    if (!text) return fail(text.error().with_context("tasks.update_key_file"));
    auto key = pki::public_key::from_pem(*text);
    if (!key) return fail(key.error().with_context("tasks.update_key_file"));
    options.key = *std::move(key);
    return options;
}

result<task_manager_options> read_task_options(const runtime::settings& settings) {
    const auto count = [&settings](const char* name) {
        return settings.count(name);
    };
    TRY(auto update, read_update_options(settings));
    return task_manager_options{
        .tasks =
            {.running_max = count("tasks.running_max"),
             .waiting_max = count("tasks.waiting_max"),
             .dedup_period = settings.duration("tasks.dedup_period"),
             .wait_max = settings.duration("tasks.queue_timeout")},
        .run =
            {.limits = {.output_max = count("tasks.output_max")},
             .scripts = scripts_directory(settings.path("data")),
             .reboot_command = settings.text("tasks.reboot_command"),
             .update = std::move(update),
             .packages = {.manager = settings.optional_text("packages.manager").value_or("")}},
        .load =
            {.load_max = static_cast<double>(settings.integer("tasks.load_max_percent")) / 100,
             .free_memory_min = count("tasks.free_memory_min")},
        .boot_id = settings.path("tasks.boot_id_file"),
        .list = settings.path("data") / tasks_file};
}

}  // namespace

result<agent_options> options_from(const runtime::settings& settings) {
    TRY(auto entries, parse_entries(settings.optional_text("server").value_or("")));
    TRY(auto trusted, read_trust(settings));
    TRY(auto proxy, parse_proxy(settings));
    TRY(auto actions, read_state_actions(settings));
    TRY(auto tasks, read_task_options(settings));
    TRY(auto packages,
        package_reporter_options(
            settings.text("packages.family"),
            settings.optional_text("packages.command").value_or("")));
    packages.entries = entries;
    packages.proxy = proxy;
    packages.interval = settings.duration("facts.interval");
    TRY(auto token, read_secret_setting(settings, "enrolment_token_file"));
    TRY(auto activation_key, read_secret_setting(settings, "activation_key_file"));
    if (activation_key.empty())
        activation_key = settings.optional_text("activation_key").value_or("");
    return agent_options{
        .entries = std::move(entries),
        .trusted = std::move(trusted),
        .data = settings.path("data"),
        .name = settings.optional_text("name").value_or(""),
        .activation_key = std::move(activation_key),
        .token = std::move(token),
        .poll_interval = settings.duration("poll_interval"),
        .retry_max = settings.duration("retry_max"),
        .proxy = std::move(proxy),
        .exit_when_idle = settings.duration("exit_when_idle"),
        .facts =
            {.root = "/",
             .directory = settings.path("facts.directory"),
             .contact = settings.text("contact"),
             .limits =
                 {.running_max = settings.integer("tasks.running_max"),
                  .load_max_percent = settings.integer("tasks.load_max_percent"),
                  .free_memory_min =
                      static_cast<std::int64_t>(settings.count("tasks.free_memory_min"))}},
        .facts_interval = settings.duration("facts.interval"),
        .state_actions =
            {.actions = std::move(actions),
             .config = settings.path("salt.config"),
             .unit = settings.text("salt.unit"),
             .start_command = settings.optional_text("salt.start_command").value_or(""),
             .stop_command = settings.optional_text("salt.stop_command").value_or(""),
             .command_timeout = settings.duration("command_timeout")},
        .tasks = std::move(tasks),
        .packages = std::move(packages)};
}

}  // namespace muster::agent
