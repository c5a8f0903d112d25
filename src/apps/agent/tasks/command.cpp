#include "apps/agent/tasks/command.h"

#include "apps/agent/tasks/arguments.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace muster::agent {
namespace {

constexpr auto default_shell = "/bin/sh";
constexpr auto program_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

std::string text_or(arguments& from, std::string_view name, std::string fallback) {
    return from.text(name).value_or(std::move(fallback));
}

// Two names for one thing, as Salt's users know it.
std::string either_text(arguments& from, std::string_view name, std::string_view other) {
    const auto one = from.text(name);
    const auto two = from.text(other);
    if (one && two) from.refuse(fmt::format("{} and {} are the same: give one", name, other));
    return one.value_or(two.value_or(""));
}

std::optional<mode_t> umask_of(arguments& from) {
    const auto text = from.text("umask");
    if (!text) return std::nullopt;
    unsigned mask = 0;
    const auto* end = text->data() + text->size();
    const auto [stopped, failed] = std::from_chars(text->data(), end, mask, 8);
    if (failed != std::errc() || stopped != end || mask > 0777)
        from.refuse("umask: octal digits such as \"022\" are needed");
    return mask;
}

std::set<int> success_codes_of(arguments& from) {
    const auto one = from.integers("success_codes");
    const auto two = from.integers("success_retcodes");
    if (one && two) from.refuse("success_codes and success_retcodes are the same: give one");
    std::set<int> codes{0};
    for (const auto each : one ? *one : two.value_or(std::vector<std::int64_t>())) {
        if (each < 0 || each > 255) from.refuse("success_codes: exit codes are 0 to 255");
        codes.insert(static_cast<int>(each));
    }
    return codes;
}

std::size_t output_max_of(arguments& from, const command_limits& limits) {
    const auto desired = from.integer("output_max");
    if (!desired) return limits.output_max;
    if (*desired < 0 || static_cast<std::size_t>(*desired) > command_limits::output_most) {
        from.refuse(fmt::format("output_max: 0 to {} bytes", command_limits::output_most));
        return 0;
    }
    return static_cast<std::size_t>(*desired);
}

// A clean one: nothing of the agent's own, which may be secret or mean something else.
std::vector<std::string> environment_of(
    arguments& from, const account& whose, const session::task_order& task) {
    std::map<std::string, std::string> all{
        {"PATH", program_path},
        {"LANG", "C.UTF-8"},
        {"HOME", whose.home},
        {"USER", whose.name},
        {"LOGNAME", whose.name},
        {"SHELL", whose.shell}};
    for (auto& [name, value] : from.text_by_name("env")) {
        if (name.empty() || name.contains('=') || name.contains('\0') || value.contains('\0'))
            from.refuse(fmt::format("env: {} cannot be a variable", name));
        all[name] = value;
    }
    // Also what the program leaves behind is known by it (process/leftovers.h).
    all["MUSTER_JOB"] = std::to_string(task.name.job);
    if (all.size() > command_limits::variables_max) from.refuse("env: too many variables");
    std::vector<std::string> result;
    result.reserve(all.size());
    for (const auto& [name, value] : all) result.push_back(name + "=" + value);
    return result;
}

// What cmd.run and script.run have in common.
result<command> parse_common(
    arguments& from, const session::task_order& task, const command_limits& limits) {
    const auto user = either_text(from, "user", "runas");
    TRY(const auto whose, find_account(user, text_or(from, "group", "")));
    command result{
        .process =
            {.argv = {},
             .environment = environment_of(from, whose, task),
             .directory = text_or(from, "cwd", user.empty() ? "/" : whose.home),
             .as = whose,
             .umask = umask_of(from),
             .input = text_or(from, "stdin", "")},
        .success_codes = success_codes_of(from),
        .output_max = output_max_of(from, limits)};
    if (!result.process.directory.starts_with('/'))
        from.refuse("cwd: a path from the root is needed");
    return result;
}

// Programs are looked for in our path, not in one that a task brings along.
std::string found_in_path(const std::string& program) {
    if (program.contains('/')) return program;
    std::string_view left = program_path;
    while (!left.empty()) {
        const auto end = std::min(left.find(':'), left.size());
        const auto file = fmt::format("{}/{}", left.substr(0, end), program);
        if (::access(file.c_str(), X_OK) == 0) return file;
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return program;
}

result<void> check_labels(const std::vector<std::string>& words, std::string_view name) {
    if (words.empty() || words.front().empty())
        return fail(errc::invalid, fmt::format("{}: what is to be run is needed", name));
    if (words.size() > command_limits::words_max)
        return fail(errc::invalid, fmt::format("{}: too many words", name));
    for (const auto& word : words) {
        if (word.contains('\0'))
            return fail(errc::invalid, fmt::format("{}: a zero byte cannot be passed", name));
    }
    return {};
}

std::unexpected<error> cannot(std::string_view text, const std::filesystem::path& file) {
    const auto why = std::generic_category().message(errno);
    return fail(errc::unavailable, fmt::format("cannot {} {}: {}", text, file.string(), why));
}

// Others can make names in the directory for temporary files too.
bool is_ours(const std::filesystem::path& directory) {
    struct stat stat{};
    return ::lstat(directory.c_str(), &stat) == 0 && S_ISDIR(stat.st_mode)
           && stat.st_uid == ::geteuid() && (stat.st_mode & 0022U) == 0;
}

result<void> write_script(
    const std::filesystem::path& file, std::string_view content, const account& whose) {
    const int out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (out < 0) return cannot("write", file);
    bool written = ::fchmod(out, 0700) == 0;
    if (::geteuid() == 0) written = written && ::fchown(out, whose.user, whose.group) == 0;
    while (written && !content.empty()) {
        const auto size = ::write(out, content.data(), content.size());
        written = size > 0;
        if (written) content.remove_prefix(static_cast<std::size_t>(size));
    }
    if (::close(out) != 0 || !written) return cannot("write", file);
    return {};
}

}  // namespace

result<command> parse_command(const session::task_order& task, const command_limits& limits) {
    TRY(auto from, arguments::parse(task.arguments));
    TRY(auto common, parse_common(from, task, limits));
    const auto shell = text_or(from, "shell", default_shell);
    const auto words = from.texts("argv");
    if (words) common.process.argv = *words;
    if (from.is_list("cmd")) {
        common.process.argv = from.texts("cmd").value_or(std::vector<std::string>());
    } else if (const auto line = from.text("cmd"); line && !line->empty()) {
        common.process.argv = {shell, "-c", *line};
    }
    if (words && from.has("cmd")) from.refuse("cmd and argv are the same: give one");
    CHECK_OK(from.finish());
    CHECK_OK(check_labels(common.process.argv, "cmd"));
    common.process.argv.front() = found_in_path(common.process.argv.front());
    return common;
}

result<command> parse_script(
    const session::task_order& task,
    const command_limits& limits,
    const std::filesystem::path& directory) {
    TRY(auto from, arguments::parse(task.arguments));
    TRY(auto common, parse_common(from, task, limits));
    const auto content = text_or(from, "content", "");
    const auto own = content.starts_with("#!") ? "" : default_shell;
    const auto interpreter = text_or(from, "interpreter", own);
    const auto words = from.texts("args").value_or(std::vector<std::string>());
    CHECK_OK(from.finish());
    if (content.empty()) return fail(errc::invalid, "content: the script is needed");
    common.script = directory / fmt::format("{}-{}", task.name.job, task.name.attempt);
    if (!interpreter.empty()) common.process.argv.push_back(found_in_path(interpreter));
    common.process.argv.push_back(common.script);
    common.process.argv.insert(common.process.argv.end(), words.begin(), words.end());
    CHECK_OK(check_labels(common.process.argv, "args"));
    if (::mkdir(directory.c_str(), 0711) != 0 && errno != EEXIST) return cannot("make", directory);
    if (!is_ours(directory)) {
        return fail(
            errc::denied,
            fmt::format("{} belongs to somebody else; remove it", directory.string()));
    }
    ::unlink(common.script.c_str());
    auto written = write_script(common.script, content, common.process.as);
    if (!written) {
        ::unlink(common.script.c_str());
        return fail(written.error());
    }
    return common;
}

void remove_scripts(const std::filesystem::path& directory) {
    if (!is_ours(directory)) return;
    std::error_code failure;
    std::filesystem::remove_all(directory, failure);
}

}  // namespace muster::agent
