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

std::string content_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Its name stands in brackets and may hold anything, also brackets: what is told begins behind it.
std::optional<process_state> state_of(const std::filesystem::path& process) {
    const auto text = content_of(process / "stat");
    const auto name_end = text.rfind(')');
    if (name_end == std::string::npos) return std::nullopt;
    std::istringstream in(text.substr(name_end + 1));
    process_state read;
    pid_t parent = 0;
    pid_t group = 0;
    if (!(in >> read.state >> parent >> group >> read.session)) return std::nullopt;
    constexpr int before_start = 15;  // fields between session and starttime, see proc(5)
    std::string skipped;
    for (int each = 0; each < before_start; ++each) in >> skipped;
    if (!(in >> read.started)) return std::nullopt;
    return read;
}

bool has_variable(const std::filesystem::path& process, std::string_view variable) {
    if (variable.empty()) return false;
    const auto all = '\0' + content_of(process / "environ") + '\0';
    return all.find('\0' + std::string(variable) + '\0') != std::string::npos;
}

// As a file tells it: with a newline at its end.
std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

std::optional<pid_t> number_in(const std::string& name) {
    pid_t number = 0;
    const auto* const end = name.data() + name.size();
    const auto [stopped, failure] = std::from_chars(name.data(), end, number);
    if (failure != std::errc() || stopped != end) return std::nullopt;
    return number;
}

bool is_left_of(
    const process_identity& mark,
    pid_t process,
    const process_state& now,
    const std::filesystem::path& where) {
    if (now.session != mark.leader || now.state == 'Z') return false;
    if (process == mark.leader) return now.started == mark.started;
    return now.started >= mark.started && has_variable(where, mark.variable);
}

}  // namespace

std::optional<process_identity> mark_of(
    pid_t leader,
    const std::string& boot,
    std::string variable,
    const std::filesystem::path& proc) {
    const auto now = state_of(proc / std::to_string(leader));
    if (!now) return std::nullopt;
    return process_identity{
        .leader = leader,
        .started = now->started,
        .boot = first_line(boot),
        .variable = std::move(variable)};
}

std::string encode(const process_identity& mark) {
    return fmt::format("{} {}\n{}\n{}", mark.leader, mark.started, mark.boot, mark.variable);
}

result<process_identity> decode_mark(std::string_view text) {
    std::istringstream in{std::string(text)};
    process_identity mark;
    std::string end;
    in >> mark.leader >> mark.started;
    std::getline(in, end);
    if (!in || !end.empty() || mark.leader <= 1)
        return fail(errc::corrupt, "the mark of a process cannot be read");
    std::getline(in, mark.boot);
    std::getline(in, mark.variable, '\0');
    return mark;
}

std::size_t kill_leftovers(
    const process_identity& mark, const std::string& boot, const std::filesystem::path& proc) {
    if (mark.boot != first_line(boot)) return 0;
    std::size_t match = 0;
    std::error_code failure;
    for (const auto& each : std::filesystem::directory_iterator(proc, failure)) {
        const auto process = number_in(each.path().filename());
        if (!process) continue;
        const auto now = state_of(each.path());
        if (!now || !is_left_of(mark, *process, *now, each.path())) continue;
        ::kill(*process, SIGKILL);
        ++match;
    }
    return match;
}

}  // namespace muster::agent
