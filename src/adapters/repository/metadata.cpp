#include "adapters/repository/metadata.h"

#include "adapters/repository/decompressed_file.h"
#include "core/packages/libsolv.h"
#include "core/table/utf8.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

extern "C" {
#include <solv/repo_deb.h>
#include <solv/repo_rpmmd.h>
#include <solv/repo_updateinfoxml.h>
}

namespace muster::repository {
namespace {

constexpr std::string_view patch_prefix = "patch:";

struct free_pool {
    void operator()(Pool* pool) const { pool_free(pool); }
};

// A libsolv pool with one repository, filled by a callback.
struct repository_pool {
    explicit repository_pool(packages::family family) : pool(pool_create()) {
        pool_setdisttype(pool.get(), family == packages::family::rpm ? DISTTYPE_RPM : DISTTYPE_DEB);
        repo = repo_create(pool.get(), "read");
    }

    template <class Fill>
    result<void> fill(std::string_view bytes, std::size_t bytes_max, const Fill& fill) {
        TRY(const auto input, decompressed_file::open(bytes, bytes_max));
        const int outcome = fill(repo, input->file());
        CHECK_OK(input->finish());
        if (outcome != 0)
            return fail(
                errc::corrupt,
                fmt::format("malformed repository file: {}", pool_errstr(pool.get())));
        repo_internalize(repo);
        return {};
    }

    std::unique_ptr<Pool, free_pool> pool;
    Repo* repo = nullptr;
};

// Converts to valid UTF-8 for the ledger; cuts at a limit, between two characters.
std::string to_text(const char* text, std::size_t bytes_max = repository_limits::text_bytes_max) {
    std::string result(text == nullptr ? "" : text);
    if (result.size() > bytes_max) {
        auto end = bytes_max;
        while (end > 0 && (static_cast<unsigned char>(result[end]) & 0xC0U) == 0x80U) --end;
        result.resize(end);
    }
    if (!table::is_utf8_without_nul(result)) {
        for (auto& byte : result)
            if (static_cast<unsigned char>(byte) >= 0x80U) byte = '?';
    }
    return result;
}

std::string lookup_word(Solvable* solvable, Id key) {
    constexpr std::size_t word_bytes_max = 255;
    return to_text(solvable_lookup_str(solvable, key), word_bytes_max);
}

std::int64_t lookup_number(Solvable* solvable, Id key) {
    const auto number = solvable_lookup_num(solvable, key, 0);
    return number > static_cast<unsigned long long>(INT64_MAX) ? 0
                                                               : static_cast<std::int64_t>(number);
}

std::optional<wall_time> lookup_time(Solvable* solvable, Id key) {
    constexpr std::int64_t latest = 253'402'300'799;  // the year 9999
    const auto number = lookup_number(solvable, key);
    if (number <= 0 || number > latest) return std::nullopt;
    return wall_time(std::chrono::seconds(number));
}

packages::package to_package(Pool* pool, Id name, Id evr, Id arch) {
    return {
        .name = pool_id2str(pool, name),
        .at = packages::parse_edition(pool_id2str(pool, evr)),
        .arch = pool_id2str(pool, arch)};
}

repository_package read_package(Solvable* solvable, packages::family family) {
    Pool* const pool = solvable->repo->pool;
    repository_package package{
        .family = family,
        .package = to_package(pool, solvable->name, solvable->evr, solvable->arch)};
    Id checksum_id = 0;
    const char* const checksum =
        solvable_lookup_checksum(solvable, SOLVABLE_CHECKSUM, &checksum_id);
    if (checksum != nullptr) {
        package.checksum = checksum;
        package.checksum_type = solv_chksum_type2str(checksum_id);
    }
    package.path = to_text(solvable_lookup_location(solvable, nullptr));
    package.summary = lookup_word(solvable, SOLVABLE_SUMMARY);
    package.description = to_text(solvable_lookup_str(solvable, SOLVABLE_DESCRIPTION));
    package.license = lookup_word(solvable, SOLVABLE_LICENSE);
    package.vendor = solvable->vendor != 0 ? to_text(pool_id2str(pool, solvable->vendor), 255) : "";
    package.build_host = lookup_word(solvable, SOLVABLE_BUILDHOST);
    package.size = lookup_number(solvable, SOLVABLE_DOWNLOADSIZE);
    package.installed_size = lookup_number(solvable, SOLVABLE_INSTALLSIZE);
    package.built = lookup_time(solvable, SOLVABLE_BUILDTIME);
    return package;
}

bool is_source(const repository_package& package) {
    return package.package.arch == "src" || package.package.arch == "nosrc"
           || package.package.arch == "source";
}

void read_references(Solvable* solvable, Id id, repository_erratum& erratum) {
    Pool* const pool = solvable->repo->pool;
    Dataiterator iterator;
    dataiterator_init(&iterator, pool, solvable->repo, id, UPDATE_REFERENCE, nullptr, 0);
    while (dataiterator_step(&iterator) != 0
           && erratum.references.size() < repository_limits::references_max) {
        dataiterator_setpos(&iterator);
        erratum.references.push_back(
            {.kind = to_text(pool_lookup_str(pool, SOLVID_POS, UPDATE_REFERENCE_TYPE), 64),
             .id = to_text(pool_lookup_str(pool, SOLVID_POS, UPDATE_REFERENCE_ID), 255),
             .address = to_text(pool_lookup_str(pool, SOLVID_POS, UPDATE_REFERENCE_HREF), 2048),
             .title = to_text(pool_lookup_str(pool, SOLVID_POS, UPDATE_REFERENCE_TITLE), 1024)});
    }
    dataiterator_free(&iterator);
}

void read_fixed(Solvable* solvable, Id id, repository_erratum& erratum) {
    Pool* const pool = solvable->repo->pool;
    Dataiterator iterator;
    dataiterator_init(&iterator, pool, solvable->repo, id, UPDATE_COLLECTION, nullptr, 0);
    while (dataiterator_step(&iterator) != 0
           && erratum.fixed.size() < repository_limits::fixed_max) {
        dataiterator_setpos(&iterator);
        auto fixed = to_package(
            pool,
            pool_lookup_id(pool, SOLVID_POS, UPDATE_COLLECTION_NAME),
            pool_lookup_id(pool, SOLVID_POS, UPDATE_COLLECTION_EVR),
            pool_lookup_id(pool, SOLVID_POS, UPDATE_COLLECTION_ARCH));
        if (packages::check(fixed)) erratum.fixed.push_back(std::move(fixed));
    }
    dataiterator_free(&iterator);
}

repository_erratum read_erratum(Solvable* solvable, Id id, std::string_view name) {
    repository_erratum erratum{
        .name = to_text(std::string(name).c_str(), 255),
        .synopsis = to_text(solvable_lookup_str(solvable, SOLVABLE_SUMMARY), 1024),
        .description = to_text(solvable_lookup_str(solvable, SOLVABLE_DESCRIPTION)),
        .kind = lookup_word(solvable, SOLVABLE_PATCHCATEGORY),
        .severity = lookup_word(solvable, UPDATE_SEVERITY),
        .status = lookup_word(solvable, UPDATE_STATUS),
        .from = solvable->vendor != 0
                    ? to_text(pool_id2str(solvable->repo->pool, solvable->vendor), 255)
                    : "",
        .updated = lookup_time(solvable, SOLVABLE_BUILDTIME),
        .needs_reboot = solvable_lookup_void(solvable, UPDATE_REBOOT) != 0,
        .needs_restart = solvable_lookup_void(solvable, UPDATE_RESTART) != 0};
    read_references(solvable, id, erratum);
    read_fixed(solvable, id, erratum);
    return erratum;
}

}  // namespace

result<void> read_packages(
    std::string_view bytes,
    packages::family family,
    const repository_limits& limits,
    contents& output) {
    repository_pool source(family);
    CHECK_OK(
        source.fill(bytes, limits.decompressed_bytes_max, [family](Repo* repo, std::FILE* file) {
            return family == packages::family::rpm ? repo_add_rpmmd(repo, file, nullptr, 0)
                                                   : repo_add_debpackages(repo, file, 0);
        }));
    Id id = 0;
    Solvable* solvable = nullptr;
    FOR_REPO_SOLVABLES(source.repo, id, solvable) {
        auto package = read_package(solvable, family);
        if (is_source(package)) continue;
        if (!packages::check(package.package) || package.checksum.empty()) {
            ++output.skipped;
            continue;
        }
        if (output.packages.size() == limits.packages_max)
            return fail(
                errc::invalid,
                fmt::format("repository exceeds the limit of {} packages", limits.packages_max));
        output.packages.push_back(std::move(package));
    }
    return {};
}

result<void> read_updateinfo(
    std::string_view bytes, const repository_limits& limits, contents& output) {
    repository_pool source(packages::family::rpm);
    CHECK_OK(source.fill(bytes, limits.decompressed_bytes_max, [](Repo* repo, std::FILE* file) {
        return repo_add_updateinfoxml(repo, file, 0);
    }));
    Id id = 0;
    Solvable* solvable = nullptr;
    FOR_REPO_SOLVABLES(source.repo, id, solvable) {
        const std::string_view name = pool_id2str(source.pool.get(), solvable->name);
        if (!name.starts_with(patch_prefix) || name.size() == patch_prefix.size()) continue;
        if (output.errata.size() == limits.errata_max)
            return fail(
                errc::invalid,
                fmt::format("repository exceeds the limit of {} errata", limits.errata_max));
        output.errata.push_back(read_erratum(solvable, id, name.substr(patch_prefix.size())));
    }
    return {};
}

}  // namespace muster::repository
