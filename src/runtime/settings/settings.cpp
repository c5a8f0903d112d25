#include "runtime/settings/settings.h"

#include "base/assert.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>
#include <unistd.h>

namespace muster::runtime {
namespace {

constexpr std::size_t secret_bytes_max = std::size_t{64} * 1024;

result<void> check_secret(const std::filesystem::path& file) {
    struct stat stat{};
    if (::stat(file.c_str(), &stat) != 0)
        return fail(errc::not_found, fmt::format("secret file {} cannot be read", file.string()));
    if (!S_ISREG(stat.st_mode))
        return fail(
            errc::invalid, fmt::format("secret file {} is not a regular file", file.string()));
    if ((stat.st_mode & S_IRWXO) != 0)
        return fail(
            errc::denied,
            fmt::format(
                "secret file {} is world-accessible; run: chmod o-rwx {}",
                file.string(),
                file.string()));
    if (::access(file.c_str(), R_OK) != 0)
        return fail(
            errc::denied, fmt::format("secret file {} cannot be read by this user", file.string()));
    if (static_cast<std::size_t>(stat.st_size) > secret_bytes_max)
        return fail(
            errc::invalid,
            fmt::format("secret file {} has more than {} bytes", file.string(), secret_bytes_max));
    return {};
}

result<setting_value> parse_entry(const setting& setting, const written_setting& entry) {
    TRY(auto value, parse_setting(setting, entry.text));
    if (setting.kind == setting_kind::secret_file) {
        CHECK_OK(check_secret(entry.text));
    }
    return value;
}

}  // namespace

bool settings::has(std::string_view name) const {
    return values_.contains(name);
}

const settings::current_value& settings::at(std::string_view name) const {
    const auto it = values_.find(name);
    MUSTER_ASSERT(it != values_.end());
    return it->second;
}

const std::string& settings::text(std::string_view name) const {
    return std::get<std::string>(at(name).value);
}

std::filesystem::path settings::path(std::string_view name) const {
    return text(name);
}

std::int64_t settings::integer(std::string_view name) const {
    return std::get<std::int64_t>(at(name).value);
}

std::size_t settings::count(std::string_view name) const {
    const auto value = integer(name);
    MUSTER_ASSERT(value >= 0);
    return static_cast<std::size_t>(value);
}

bool settings::boolean(std::string_view name) const {
    return std::get<bool>(at(name).value);
}

monotonic::duration settings::duration(std::string_view name) const {
    return std::get<monotonic::duration>(at(name).value);
}

const std::vector<std::string>& settings::list(std::string_view name) const {
    return std::get<std::vector<std::string>>(at(name).value);
}

std::optional<std::string> settings::optional_text(std::string_view name) const {
    if (!has(name)) return std::nullopt;
    return text(name);
}

const std::string& settings::origin(std::string_view name) const {
    return at(name).origin;
}

resolution resolve(catalogue catalogue, const std::vector<settings_source>& sources) {
    resolution outcome;
    auto& values = outcome.values.values_;
    for (const auto& source : sources) {
        outcome.problems.insert(
            outcome.problems.end(), source.problems.begin(), source.problems.end());
        for (const auto& entry : source.entries) {
            const auto* setting = find_setting(catalogue, entry.name);
            MUSTER_ASSERT(setting != nullptr);  // sources only hand over known names
            auto value = parse_entry(*setting, entry);
            if (value) {
                values.try_emplace(entry.name, std::move(*value), entry.origin);
            } else {
                outcome.problems.push_back(
                    fmt::format("{}: {}: {}", entry.origin, entry.name, value.error().detail()));
            }
        }
    }
    for (const auto& setting : catalogue) {
        if (setting.default_value.empty() || values.contains(setting.name)) continue;
        auto value = parse_setting(setting, setting.default_value);
        MUSTER_ASSERT(value.has_value());  // defaults are ours
        values.emplace(setting.name, settings::current_value{std::move(*value), "default"});
    }
    return outcome;
}

result<std::string> read_secret(const std::filesystem::path& file) {
    CHECK_OK(check_secret(file));
    std::ifstream file_stream(file);
    std::stringstream content;
    if (!file_stream || !(content << file_stream.rdbuf()))
        return fail(
            errc::denied, fmt::format("secret file {} is empty or cannot be read", file.string()));
    auto secret = content.str();
    if (secret.ends_with('\n')) secret.pop_back();
    if (secret.empty())
        return fail(errc::invalid, fmt::format("secret file {} is empty", file.string()));
    return secret;
}

}  // namespace muster::runtime
