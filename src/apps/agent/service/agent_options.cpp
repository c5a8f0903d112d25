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

result<std::vector<std::string>> entries_of(std::string_view text) {
    std::vector<std::string> entries;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        std::string one(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        while (one.ends_with('/') || one.ends_with(' ')) one.pop_back();
        while (one.starts_with(' ')) one.erase(0, 1);
        if (one.empty()) continue;
        if (!one.contains("://")) one = "https://" + one;
        const auto parsed = net::http::parse_url(one);
        if (!parsed) return fail(parsed.error().within("server"));
        if (parsed->over != net::http::url::security::tls || parsed->target != "/")
            return fail(errc::invalid, "server: write https://HOST:PORT, not " + one);
        entries.push_back(std::move(one));
    }
    if (entries.empty())
        return fail(errc::invalid, "server: the address of the cluster's entry is needed");
    if (entries.size() > entries_max) return fail(errc::invalid, "server: too many addresses");
    return entries;
}

result<net::trust> trust_of(const runtime::settings& wanted) {
    if (wanted.has("ca_fingerprint")) {
        auto print = pki::fingerprint::parse(wanted.text("ca_fingerprint"));
        if (!print) return fail(print.error().within("ca_fingerprint"));
        return net::pinned_authority{*std::move(print)};
    }
    if (!wanted.has("ca")) {
        return fail(
            errc::invalid, "ca: the file with the cluster's CA is needed, or its ca_fingerprint");
    }
    const auto text = os::load_file(wanted.path("ca"));
    if (!text) return fail(text.error().within("ca"));
    auto authorities = pki::certificate::chain_from_pem(*text);
    if (!authorities) return fail(authorities.error().within("ca"));
    return net::trusted_authorities{*std::move(authorities)};
}

result<std::optional<net::endpoint>> proxy_of(const runtime::settings& wanted) {
    constexpr std::string_view scheme = "socks5://";
    const auto text = wanted.optional_text("proxy").value_or("");
    if (text.empty()) return std::nullopt;
    if (!text.starts_with(scheme))
        return fail(errc::invalid, "proxy: write socks5://HOST:PORT, not " + text);
    auto where = net::parse_endpoint(text.substr(scheme.size()));
    if (!where) return fail(where.error().within("proxy"));
    return *std::move(where);
}

struct state_setting {
    const char* name;
    actions scenario::* list;
};

result<scenario> scenario_from(const runtime::settings& wanted) {
    constexpr std::array settings{
        state_setting{"actions.new", &scenario::fresh},
        state_setting{"actions.orphan", &scenario::orphan},
        state_setting{"actions.onboarded", &scenario::onboarded},
        state_setting{"actions.deleted", &scenario::deleted}};
    auto made = scenario_of(wanted.text("scenario") == "salt" ? backend::salt : backend::native);
    for (const auto& each : settings) {
        if (!wanted.has(each.name)) continue;
        auto list = parse_actions(wanted.text(each.name));
        if (!list) return fail(list.error().within(each.name));
        made.*each.list = *std::move(list);
    }
    return made;
}

// The content of a secret file that a setting names; empty when it is not set.
result<std::string> secret_of(const runtime::settings& wanted, const char* name) {
    if (!wanted.has(name)) return std::string();
    auto read = runtime::read_secret(wanted.path(name));
    if (!read) return fail(read.error().within(name));
    return read;
}

// Where scripts are put that tasks bring along: others must be able to enter it, and its name
// must be known to the next run of the agent.
std::filesystem::path scripts_of(const std::filesystem::path& data) {
    constexpr std::size_t digits = 16;
    const auto where = std::filesystem::absolute(data).lexically_normal().string();
    std::error_code missing;  // in an empty root directory: then a script is refused
    auto temporary = std::filesystem::temp_directory_path(missing);
    if (missing) temporary = "/tmp";
    return temporary / ("muster-agent-" + to_hex(pki::sha256(where)).substr(0, digits));
}

result<update_options> update_from(const runtime::settings& wanted) {
    std::error_code failure;
    update_options how{
        .key = std::nullopt, .program = std::filesystem::read_symlink("/proc/self/exe", failure)};
    if (!wanted.has("tasks.update_key_file")) return how;
    const auto text = os::load_file(wanted.path("tasks.update_key_file"));
    if (!text) return fail(text.error().within("tasks.update_key_file"));
    auto key = pki::public_key::from_pem(*text);
    if (!key) return fail(key.error().within("tasks.update_key_file"));
    how.key = *std::move(key);
    return how;
}

result<keeper_options> tasks_from(const runtime::settings& wanted) {
    const auto count = [&wanted](const char* name) {
        return wanted.count(name);
    };
    TRY(auto update, update_from(wanted));
    return keeper_options{
        .tasks =
            {.running_max = count("tasks.running_max"),
             .waiting_max = count("tasks.waiting_max"),
             .remember = wanted.duration("tasks.remember"),
             .wait_max = wanted.duration("tasks.wait_max")},
        .run =
            {.limits = {.output_max = count("tasks.output_max")},
             .scripts = scripts_of(wanted.path("data")),
             .reboot_command = wanted.text("tasks.reboot_command"),
             .update = std::move(update),
             .packages = {.manager = wanted.optional_text("packages.manager").value_or("")}},
        .strain =
            {.load_max = static_cast<double>(wanted.integer("tasks.load_max_percent")) / 100,
             .free_memory_min = count("tasks.free_memory_min")},
        .boot_id = wanted.path("tasks.boot_id_file"),
        .list = wanted.path("data") / tasks_file};
}

}  // namespace

result<agent_options> options_from(const runtime::settings& wanted) {
    TRY(auto entries, entries_of(wanted.optional_text("server").value_or("")));
    TRY(auto trusted, trust_of(wanted));
    TRY(auto proxy, proxy_of(wanted));
    TRY(auto what, scenario_from(wanted));
    TRY(auto tasks, tasks_from(wanted));
    TRY(auto packages,
        watch_options(
            wanted.text("packages.family"), wanted.optional_text("packages.command").value_or("")));
    packages.entries = entries;
    packages.proxy = proxy;
    packages.interval = wanted.duration("facts.interval");
    TRY(auto token, secret_of(wanted, "enrolment_token_file"));
    TRY(auto activation_key, secret_of(wanted, "activation_key_file"));
    if (activation_key.empty())
        activation_key = wanted.optional_text("activation_key").value_or("");
    return agent_options{
        .entries = std::move(entries),
        .trusted = std::move(trusted),
        .data = wanted.path("data"),
        .name = wanted.optional_text("name").value_or(""),
        .activation_key = std::move(activation_key),
        .token = std::move(token),
        .poll = wanted.duration("poll"),
        .retry_max = wanted.duration("retry_max"),
        .proxy = std::move(proxy),
        .stay = wanted.duration("stay"),
        .survey =
            {.root = "/",
             .directory = wanted.path("facts.directory"),
             .contact = wanted.text("contact"),
             .limits =
                 {.running_max = wanted.integer("tasks.running_max"),
                  .load_max_percent = wanted.integer("tasks.load_max_percent"),
                  .free_memory_min =
                      static_cast<std::int64_t>(wanted.count("tasks.free_memory_min"))}},
        .survey_interval = wanted.duration("facts.interval"),
        .performer =
            {.what = std::move(what),
             .config = wanted.path("salt.config"),
             .unit = wanted.text("salt.unit"),
             .start_command = wanted.optional_text("salt.start_command").value_or(""),
             .stop_command = wanted.optional_text("salt.stop_command").value_or(""),
             .command_time = wanted.duration("command_time")},
        .tasks = std::move(tasks),
        .packages = std::move(packages)};
}

}  // namespace muster::agent
