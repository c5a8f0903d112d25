#include "runtime/settings/settings.h"

#include "runtime/settings/documents.h"
#include "runtime/settings/nearest.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace muster::runtime {
namespace {

using namespace std::chrono_literals;

constexpr std::array fleet_settings{
    setting{
        .name = "log.level",
        .kind = setting_kind::choice,
        .default_value = "info",
        .choices = "debug|info|warning|error",
        .effect = takes_effect::at_reload,
        .description = "How much is written.",
        .example = "debug"},
    setting{
        .name = "drain.timeout",
        .kind = setting_kind::duration,
        .default_value = "30s",
        .minimum = "1s",
        .maximum = "1h",
        .description = "How long a stopping server waits for running requests.",
        .example = "1m"},
    setting{
        .name = "http.body_max",
        .kind = setting_kind::size,
        .default_value = "64MiB",
        .maximum = "1GiB",
        .description = "The largest request body.",
        .example = "16MiB"},
    setting{
        .name = "roles",
        .kind = setting_kind::choices,
        .default_value = "driver,gateway,node",
        .choices = "driver|gateway|node",
        .description = "What this server does.",
        .example = "gateway"},
    setting{
        .name = "metastore",
        .kind = setting_kind::engine,
        .choices = "sqlite|etcd",
        .description = "Where the metastore is.",
        .example = "etcd://10.0.0.1:2379"},
    setting{
        .name = "ledger.password_file",
        .kind = setting_kind::secret_file,
        .description = "The file with the ledger's password.",
        .example = "/etc/muster/ledger.password"},
};

resolution resolve_text(const std::string& yaml) {
    return resolve(fleet_settings, {read_settings_text(fleet_settings, yaml, "muster.yaml")});
}

bool mentions(const std::vector<std::string>& problems, std::string_view words) {
    return std::ranges::any_of(
        problems, [&](const std::string& each) { return each.contains(words); });
}

TEST_CASE("the nearest word is found over a swapped, a missing and a wrong letter") {
    const std::vector<std::string> existing{"log.level", "log.format", "listen"};

    CHECK(find_nearest("log.levle", existing) == "log.level");
    CHECK(find_nearest("lgo.format", existing) == "log.format");
    CHECK(find_nearest("lisen", existing) == "listen");
    CHECK(find_nearest("metastore", existing) == std::nullopt);
    CHECK(edit_distance("ab", "ba") == 1);
    CHECK(edit_distance("", "abc") == 3);
}

TEST_CASE("a flag wins over the environment, that over the file, that over the default") {
    const auto file = read_settings_text(
        fleet_settings, "log.level: debug\nhttp: {body_max: 1MiB}\ndrain.timeout: 2s", "f");
    const auto environment = read_environment(
        fleet_settings, {{"MUSTER_LOG_LEVEL", "warning"}, {"MUSTER_DRAIN_TIMEOUT", "3s"}});
    const settings_source flags{.entries = {{"log.level", "error", "--log-level"}}, .problems = {}};

    const auto outcome = resolve(fleet_settings, {flags, environment, file});

    REQUIRE(outcome.problems.empty());
    CHECK(outcome.values.text("log.level") == "error");
    CHECK(outcome.values.origin("log.level") == "--log-level");
    CHECK(outcome.values.duration("drain.timeout") == 3s);
    CHECK(outcome.values.count("http.body_max") == 1024 * 1024);
    CHECK(outcome.values.origin("http.body_max") == "f:2");
    CHECK(outcome.values.list("roles") == std::vector<std::string>{"driver", "gateway", "node"});
    CHECK_FALSE(outcome.values.has("metastore"));
}

TEST_CASE("an unknown key is refused with its line and the nearest known name") {
    const auto outcome = resolve_text("roles: gateway\nlog:\n  levle: debug\n");

    REQUIRE(outcome.problems.size() == 1);
    CHECK(
        outcome.problems.front()
        == "muster.yaml:3: unknown setting \"log.levle\"; closest match: \"log.level\"");
}

TEST_CASE("every problem is listed, not only the first") {
    const auto outcome = resolve_text(
        "log.level: loud\n"
        "drain.timeout: 30\n"
        "drain.timeout: 2h\n"
        "http.body_max: 2GiB\n"
        "metastore: kafka://h:1\n"
        "roles: [gateway, drvier]\n"
        "metastor: x\n");

    CHECK(outcome.problems.size() == 7);
    CHECK(mentions(outcome.problems, "muster.yaml:1: log.level: \"loud\" is not one of"));
    CHECK(mentions(outcome.problems, "muster.yaml:2: drain.timeout: \"30\" is not a duration"));
    CHECK(mentions(outcome.problems, "muster.yaml:3: duplicate setting \"drain.timeout\""));
    CHECK(mentions(outcome.problems, "\"2GiB\" is more than 1GiB"));
    CHECK(mentions(outcome.problems, "unknown engine \"kafka\""));
    CHECK(mentions(outcome.problems, "closest match: \"driver\""));
    CHECK(mentions(outcome.problems, "closest match: \"metastore\""));
}

TEST_CASE("text that is not YAML is a problem with its line, and an empty file is none") {
    CHECK(mentions(resolve_text("log.level: debug\n  x: [").problems, "muster.yaml:"));
    CHECK(mentions(resolve_text("just words").problems, "expected settings"));
    CHECK(resolve_text("").problems.empty());
    CHECK(resolve_text("# nothing\n").problems.empty());
}

TEST_CASE("a settings file may be empty, one that cannot be read says why") {
    const auto home = std::filesystem::temp_directory_path();
    const auto file = home / ("muster-settings-" + std::to_string(::getpid()));
    CHECK(mentions(read_settings_file(fleet_settings, file).problems, "No such file"));
    CHECK(mentions(read_settings_file(fleet_settings, home).problems, "Is a directory"));

    const std::ofstream ofstream(file);
    CHECK(read_settings_file(fleet_settings, file).problems.empty());
    std::filesystem::remove(file);
}

TEST_CASE("a variable that is almost a setting's is a problem, others are not ours") {
    const auto environment = read_environment(
        fleet_settings, {{"MUSTER_LOG_LEVLE", "debug"}, {"MUSTER_SERVICE_HOST", "10.0.0.1"}});

    REQUIRE(environment.problems.size() == 1);
    CHECK(environment.problems.front().contains("closest match: \"MUSTER_LOG_LEVEL\""));
}

TEST_CASE("a variable with the name of a group in front is refused with what the group has") {
    const auto sentence = [](const std::string& variable, const std::string& text) {
        const auto environment = read_environment(fleet_settings, {{variable, text}});
        return environment.problems.empty() ? std::string() : environment.problems.front();
    };

    CHECK(
        sentence("MUSTER_LEDGER_PASSWORD", "x")
        == "MUSTER_LEDGER_PASSWORD: unknown setting; closest match: "
           "\"MUSTER_LEDGER_PASSWORD_FILE\"");
    CHECK(
        sentence("MUSTER_HTTP_TIMEOUT", "1s")
        == "MUSTER_HTTP_TIMEOUT: unknown setting; known settings of this group: "
           "MUSTER_HTTP_BODY_MAX");
    CHECK_FALSE(sentence("MUSTER_LEDGER_PORT", "5432").empty());
    // What a neighbour called muster-ledger has set by those who run containers.
    CHECK(sentence("MUSTER_LEDGER_PORT", "tcp://10.0.0.9:5432").empty());
    CHECK(sentence("MUSTER_LEDGER_PORT_5432_TCP_ADDR", "10.0.0.9").empty());
    CHECK(sentence("MUSTER_LEDGER_SERVICE_HOST", "10.0.0.9").empty());
}

TEST_CASE("a second document in a settings file is refused, not overlooked") {
    const std::string sentence =
        "multiple YAML documents (`---`) are not supported; use one document";

    CHECK(
        resolve_text("roles: node\n---\nlog.level: debug\n").problems
        == std::vector{"muster.yaml:3: " + sentence});
    CHECK(
        resolve_text("---\n---\nlog.level: debug\n").problems
        == std::vector{"muster.yaml:3: " + sentence});
    CHECK(resolve_text("---\nroles: node\n...\n").problems.empty());
    CHECK(resolve_text("# mine\n---\nroles: node\n---\n# no more\n").problems.empty());
}

TEST_CASE("a value of the wrong shape is told which shape the setting takes") {
    CHECK(
        resolve_text("roles: {a: b}").problems
        == std::vector<std::string>{"muster.yaml:1: setting \"roles\" must be a list or a string, "
                                    "such as `roles: gateway`"});
    CHECK(
        mentions(resolve_text("roles: [{a: b}]").problems, "\"roles\" must be a list or a string"));
    CHECK(mentions(
        resolve_text("drain.timeout: {a: b}").problems,
        "\"drain.timeout\" must be a single value"));
    CHECK(mentions(
        resolve_text("log: {level: [debug]}").problems, "\"log.level\" must be a single value"));
}

TEST_CASE("a secret file that everybody can read is refused with the cure") {
    const auto file =
        std::filesystem::temp_directory_path() / ("muster-secret-" + std::to_string(::getpid()));
    std::ofstream(file) << "s3cret\n";

    ::chmod(file.c_str(), 0644);
    CHECK(mentions(resolve_text("ledger.password_file: " + file.string()).problems, "chmod o-rwx"));
    ::chmod(file.c_str(), 0600);
    CHECK(resolve_text("ledger.password_file: " + file.string()).problems.empty());
    CHECK(read_secret(file).value() == "s3cret");

    std::filesystem::remove(file);
    CHECK(read_secret(file).error().code() == errc::not_found);
}

TEST_CASE("what YAML would read as something else is quoted in the sample file and the page") {
    for (const std::string_view odd :
         {"memory:", "[::]:8443", "it's: so", "a #b", "", "~", "- a", "*", "'", " a", "{a}"}) {
        CAPTURE(odd);
        const std::array one{setting{.name = "value", .description = "One.", .example = odd}};

        const auto read = read_settings_text(one, sample_line(one.front()), "f");

        REQUIRE(read.problems.empty());
        CHECK(read.entries.front().text == odd);
        CHECK(sample_file(one).contains("# " + sample_line(one.front()) + "\n"));
        CHECK(settings_page(one).contains("`" + sample_line(one.front()) + "`"));
    }
    CHECK(sample_line({.name = "bus", .example = "nats://h:1"}) == "bus: nats://h:1");
}

TEST_CASE("the sample file names every setting and, uncommented, is accepted") {
    std::string uncommented;
    std::istringstream lines(sample_file(fleet_settings));
    for (std::string line; std::getline(lines, line);) {
        const auto colon = line.find(": ");
        if (!line.starts_with("# ") || colon == std::string::npos) continue;
        if (find_setting(fleet_settings, line.substr(2, colon - 2)) == nullptr) continue;
        if (!line.contains("password_file")) uncommented += line.substr(2) + "\n";
    }

    CHECK(resolve_text(uncommented).problems.empty());
    for (const auto& fleet_setting : fleet_settings) {
        CHECK(sample_file(fleet_settings).contains(fleet_setting.name));
        CHECK(settings_page(fleet_settings).contains(flag_of(fleet_setting)));
    }
}

}  // namespace
}  // namespace muster::runtime
