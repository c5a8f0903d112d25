#include "apps/agent/process/orphan_processes.h"

#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>

namespace muster::agent {
namespace {

struct process_state {
    char state = '?';
    pid_t session = 0;
    std::uint64_t started = 0;
};

std::string read_content(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// The name stands in brackets and may contain brackets: the fields begin behind the last one.
std::optional<process_state> read_state(const std::filesystem::path& process) {
    const auto text = read_content(process / "stat");
    const auto name_end = text.rfind(')');
    if (name_end == std::string::npos) return std::nullopt;
    std::istringstream fields(text.substr(name_end + 1));
    process_state state;
    pid_t parent = 0;
    pid_t group = 0;
    if (!(fields >> state.state >> parent >> group >> state.session)) return std::nullopt;
    constexpr int before_start = 15;  // fields between session and starttime, see proc(5)
    std::string skipped;
    for (int index = 0; index < before_start; ++index) fields >> skipped;
    if (!(fields >> state.started)) return std::nullopt;
    return state;
}

bool has_variable(const std::filesystem::path& process, std::string_view variable) {
    if (variable.empty()) return false;
    const auto variables = '\0' + read_content(process / "environ") + '\0';
    return variables.find('\0' + std::string(variable) + '\0') != std::string::npos;
}

// Strips the newline at the end of a file.
std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

std::optional<pid_t> parse_pid(const std::string& name) {
    pid_t number = 0;
    const auto* const end = name.data() + name.size();
    const auto [stopped, failure] = std::from_chars(name.data(), end, number);
    if (failure != std::errc() || stopped != end) return std::nullopt;
    return number;
}

bool belongs_to(
    const process_identity& identity,
    pid_t process,
    const process_state& state,
    const std::filesystem::path& directory) {
    if (state.session != identity.leader || state.state == 'Z') return false;
    if (process == identity.leader) return state.started == identity.started;
    return state.started >= identity.started && has_variable(directory, identity.variable);
}

}  // namespace

std::optional<process_identity> find_process_identity(
    pid_t leader,
    const std::string& boot,
    std::string variable,
    const std::filesystem::path& proc) {
    const auto state = read_state(proc / std::to_string(leader));
    if (!state) return std::nullopt;
    return process_identity{
        .leader = leader,
        .started = state->started,
        .boot = first_line(boot),
        .variable = std::move(variable)};
}

std::string encode(const process_identity& identity) {
    return fmt::format(
        "{} {}\n{}\n{}", identity.leader, identity.started, identity.boot, identity.variable);
}

result<process_identity> decode_process_identity(std::string_view text) {
    std::istringstream stream{std::string(text)};
    process_identity identity;
    std::string rest;
    stream >> identity.leader >> identity.started;
    std::getline(stream, rest);
    if (!stream || !rest.empty() || identity.leader <= 1)
        return fail(errc::corrupt, "unreadable process record");
    std::getline(stream, identity.boot);
    std::getline(stream, identity.variable, '\0');
    return identity;
}

std::size_t kill_orphans(
    const process_identity& identity, const std::string& boot, const std::filesystem::path& proc) {
    if (identity.boot != first_line(boot)) return 0;
    std::size_t killed = 0;
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(proc, failure)) {
        const auto process = parse_pid(entry.path().filename());
        if (!process) continue;
        const auto state = read_state(entry.path());
        if (!state || !belongs_to(identity, *process, *state, entry.path())) continue;
        ::kill(*process, SIGKILL);
        ++killed;
    }
    return killed;
}

}  // namespace muster::agent
