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

std::string text_or(arguments& args, std::string_view name, std::string default_value) {
    return args.text(name).value_or(std::move(default_value));
}

// Reads an argument that Salt's users know by another name, too.
std::string text_by_either_name(arguments& args, std::string_view name, std::string_view other) {
    const auto first = args.text(name);
    const auto second = args.text(other);
    if (first && second)
        args.refuse(fmt::format("{} and {} are mutually exclusive; remove one", name, other));
    return first.value_or(second.value_or(""));
}

std::optional<mode_t> parse_umask(arguments& args) {
    const auto text = args.text("umask");
    if (!text) return std::nullopt;
    unsigned mask = 0;
    const auto* end = text->data() + text->size();
    const auto [stopped, failed] = std::from_chars(text->data(), end, mask, 8);
    if (failed != std::errc() || stopped != end || mask > 0777)
        args.refuse("umask: octal digits required, for example \"022\"");
    return mask;
}

std::set<int> parse_success_codes(arguments& args) {
    const auto codes_argument = args.integers("success_codes");
    const auto retcodes_argument = args.integers("success_retcodes");
    if (codes_argument && retcodes_argument)
        args.refuse("success_codes and success_retcodes are mutually exclusive; remove one");
    std::set<int> codes{0};
    for (const auto code : codes_argument
                               ? *codes_argument
                               : retcodes_argument.value_or(std::vector<std::int64_t>())) {
        if (code < 0 || code > 255) args.refuse("success_codes: exit codes must be 0 to 255");
        codes.insert(static_cast<int>(code));
    }
    return codes;
}

std::size_t parse_output_max(arguments& args, const command_limits& limits) {
    const auto bytes = args.integer("output_max");
    if (!bytes) return limits.output_max;
    if (*bytes < 0 || static_cast<std::size_t>(*bytes) > command_limits::output_bytes_limit) {
        args.refuse(
            fmt::format("output_max: must be 0 to {} bytes", command_limits::output_bytes_limit));
        return 0;
    }
    return static_cast<std::size_t>(*bytes);
}

// A clean environment: the agent's own variables may be secret.
std::vector<std::string> build_environment(
    arguments& args, const account& user, const session::task_request& task) {
    std::map<std::string, std::string> variables{
        {"PATH", program_path},
        {"LANG", "C.UTF-8"},
        {"HOME", user.home},
        {"USER", user.name},
        {"LOGNAME", user.name},
        {"SHELL", user.shell}};
    for (auto& [name, value] : args.text_by_name("env")) {
        if (name.empty() || name.contains('=') || name.contains('\0') || value.contains('\0'))
            args.refuse(fmt::format("env: invalid variable \"{}\"", name));
        variables[name] = value;
    }
    // Identifies processes that outlive the program (process/orphan_processes.h).
    variables["MUSTER_JOB"] = std::to_string(task.name.job);
    if (variables.size() > command_limits::variables_max) args.refuse("env: too many variables");
    std::vector<std::string> result;
    result.reserve(variables.size());
    for (const auto& [name, value] : variables) result.push_back(name + "=" + value);
    return result;
}

// Parses the arguments that cmd.run and script.run share.
result<command> parse_common(
    arguments& args, const session::task_request& task, const command_limits& limits) {
    const auto user = text_by_either_name(args, "user", "runas");
    TRY(const auto account, find_account(user, text_or(args, "group", "")));
    command result{
        .process =
            {.argv = {},
             .environment = build_environment(args, account, task),
             .directory = text_or(args, "cwd", user.empty() ? "/" : account.home),
             .account = account,
             .umask = parse_umask(args),
             .input = text_or(args, "stdin", "")},
        .success_codes = parse_success_codes(args),
        .output_max = parse_output_max(args, limits)};
    if (!result.process.directory.starts_with('/')) args.refuse("cwd: absolute path required");
    return result;
}

// Uses the agent's path, not that of the task's environment.
std::string find_in_path(const std::string& program) {
    if (program.contains('/')) return program;
    std::string_view path = program_path;
    while (!path.empty()) {
        const auto end = std::min(path.find(':'), path.size());
        const auto file = fmt::format("{}/{}", path.substr(0, end), program);
        if (::access(file.c_str(), X_OK) == 0) return file;
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return program;
}

result<void> check_words(const std::vector<std::string>& words, std::string_view name) {
    if (words.empty() || words.front().empty())
        return fail(errc::invalid, fmt::format("{}: command required", name));
    if (words.size() > command_limits::words_max)
        return fail(errc::invalid, fmt::format("{}: too many words", name));
    for (const auto& word : words) {
        if (word.contains('\0'))
            return fail(errc::invalid, fmt::format("{}: NUL bytes are not allowed", name));
    }
    return {};
}

std::unexpected<error> cannot(std::string_view action, const std::filesystem::path& file) {
    const auto reason = std::generic_category().message(errno);
    return fail(errc::unavailable, fmt::format("cannot {} {}: {}", action, file.string(), reason));
}

// Other users can also create names in the directory for temporary files.
bool is_own_directory(const std::filesystem::path& directory) {
    struct stat stat{};
    return ::lstat(directory.c_str(), &stat) == 0 && S_ISDIR(stat.st_mode)
           && stat.st_uid == ::geteuid() && (stat.st_mode & 0022U) == 0;
}

result<void> write_script(
    const std::filesystem::path& file, std::string_view content, const account& owner) {
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (descriptor < 0) return cannot("write", file);
    bool written = ::fchmod(descriptor, 0700) == 0;
    if (::geteuid() == 0) written = written && ::fchown(descriptor, owner.user, owner.group) == 0;
    while (written && !content.empty()) {
        const auto size = ::write(descriptor, content.data(), content.size());
        written = size > 0;
        if (written) content.remove_prefix(static_cast<std::size_t>(size));
    }
    if (::close(descriptor) != 0 || !written) return cannot("write", file);
    return {};
}

}  // namespace

result<command> parse_command(const session::task_request& task, const command_limits& limits) {
    TRY(auto args, arguments::parse(task.arguments));
    TRY(auto command, parse_common(args, task, limits));
    const auto shell = text_or(args, "shell", default_shell);
    const auto words = args.texts("argv");
    if (words) command.process.argv = *words;
    if (args.is_list("cmd")) {
        command.process.argv = args.texts("cmd").value_or(std::vector<std::string>());
    } else if (const auto line = args.text("cmd"); line && !line->empty()) {
        command.process.argv = {shell, "-c", *line};
    }
    if (words && args.has("cmd")) args.refuse("cmd and argv are mutually exclusive; remove one");
    CHECK_OK(args.finish());
    CHECK_OK(check_words(command.process.argv, "cmd"));
    command.process.argv.front() = find_in_path(command.process.argv.front());
    return command;
}

result<command> parse_script(
    const session::task_request& task,
    const command_limits& limits,
    const std::filesystem::path& directory) {
    TRY(auto args, arguments::parse(task.arguments));
    TRY(auto command, parse_common(args, task, limits));
    const auto content = text_or(args, "content", "");
    const auto default_interpreter = content.starts_with("#!") ? "" : default_shell;
    const auto interpreter = text_or(args, "interpreter", default_interpreter);
    const auto words = args.texts("args").value_or(std::vector<std::string>());
    CHECK_OK(args.finish());
    if (content.empty()) return fail(errc::invalid, "content: script required");
    command.script = directory / fmt::format("{}-{}", task.name.job, task.name.attempt);
    if (!interpreter.empty()) command.process.argv.push_back(find_in_path(interpreter));
    command.process.argv.push_back(command.script);
    command.process.argv.insert(command.process.argv.end(), words.begin(), words.end());
    CHECK_OK(check_words(command.process.argv, "args"));
    if (::mkdir(directory.c_str(), 0711) != 0 && errno != EEXIST)
        return cannot("create", directory);
    if (!is_own_directory(directory)) {
        return fail(
            errc::denied,
            fmt::format(
                "directory {} is not owned by the agent's user or is writable by others; remove "
                "the directory",
                directory.string()));
    }
    ::unlink(command.script.c_str());
    auto written = write_script(command.script, content, command.process.account);
    if (!written) {
        ::unlink(command.script.c_str());
        return fail(written.error());
    }
    return command;
}

void remove_scripts(const std::filesystem::path& directory) {
    if (!is_own_directory(directory)) return;
    std::error_code failure;
    std::filesystem::remove_all(directory, failure);
}

}  // namespace muster::agent
