#include "adapters/repository/metadata.h"

#include "adapters/repository/unpacked.h"
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

struct pool_end {
    void operator()(Pool* held) const { pool_free(held); }
};

// A pool with one repository; whoever fills it says how.
struct reading {
    explicit reading(packages::family kind) : pool(pool_create()) {
        pool_setdisttype(pool.get(), kind == packages::family::rpm ? DISTTYPE_RPM : DISTTYPE_DEB);
        repo = repo_create(pool.get(), "read");
    }

    template <class Fill>
    result<void> fill(std::string_view bytes, std::size_t bytes_max, const Fill& fill) {
        TRY(const auto from, unpacked::open(bytes, bytes_max));
        const int outcome = fill(repo, from->file());
        CHECK_OK(from->finish());
        if (outcome != 0)
            return fail(
                errc::corrupt,
                fmt::format("a file of the repository is wrong: {}", pool_errstr(pool.get())));
        repo_internalize(repo);
        return {};
    }

    std::unique_ptr<Pool, pool_end> pool;
    Repo* repo = nullptr;
};

// As the ledger takes it: valid UTF-8, cut at a limit, never in the middle of a character.
std::string text_of(
    const char* response, std::size_t bytes_max = repository_limits::text_bytes_max) {
    std::string result(response == nullptr ? "" : response);
    if (result.size() > bytes_max) {
        auto end = bytes_max;
        while (end > 0 && (static_cast<unsigned char>(result[end]) & 0xC0U) == 0x80U) --end;
        result.resize(end);
    }
    if (!table::is_utf8_without_nul(result)) {
        for (auto& each : result)
            if (static_cast<unsigned char>(each) >= 0x80U) each = '?';
    }
    return result;
}

std::string word_of(Solvable* of, Id key) {
    constexpr std::size_t word_bytes_max = 255;
    return text_of(solvable_lookup_str(of, key), word_bytes_max);
}

std::int64_t number_of(Solvable* of, Id key) {
    const auto response = solvable_lookup_num(of, key, 0);
    return response > static_cast<unsigned long long>(INT64_MAX)
               ? 0
               : static_cast<std::int64_t>(response);
}

std::optional<wall_time> time_of(Solvable* of, Id key) {
    constexpr std::int64_t latest = 253'402'300'799;  // the year 9999
    const auto number = number_of(of, key);
    if (number <= 0 || number > latest) return std::nullopt;
    return wall_time(std::chrono::seconds(number));
}

packages::package named(Pool* pool, Id name, Id evr, Id arch) {
    return {
        .name = pool_id2str(pool, name),
        .at = packages::parse_edition(pool_id2str(pool, evr)),
        .arch = pool_id2str(pool, arch)};
}

repository_package package_of(Solvable* of, packages::family kind) {
    Pool* const pool = of->repo->pool;
    repository_package result{.kind = kind, .what = named(pool, of->name, of->evr, of->arch)};
    Id sum_kind = 0;
    const char* const sum = solvable_lookup_checksum(of, SOLVABLE_CHECKSUM, &sum_kind);
    if (sum != nullptr) {
        result.checksum = sum;
        result.checksum_type = solv_chksum_type2str(sum_kind);
    }
    result.path = text_of(solvable_lookup_location(of, nullptr));
    result.summary = word_of(of, SOLVABLE_SUMMARY);
    result.description = text_of(solvable_lookup_str(of, SOLVABLE_DESCRIPTION));
    result.license = word_of(of, SOLVABLE_LICENSE);
    result.vendor = of->vendor != 0 ? text_of(pool_id2str(pool, of->vendor), 255) : "";
    result.build_host = word_of(of, SOLVABLE_BUILDHOST);
    result.size = number_of(of, SOLVABLE_DOWNLOADSIZE);
    result.installed_size = number_of(of, SOLVABLE_INSTALLSIZE);
    result.built = time_of(of, SOLVABLE_BUILDTIME);
    return result;
}

bool is_source(const repository_package& repository_package) {
    return repository_package.what.arch == "src" || repository_package.what.arch == "nosrc"
           || repository_package.what.arch == "source";
}

void read_references(Solvable* of, Id id, repository_erratum& into) {
    Pool* const pool = of->repo->pool;
    Dataiterator at;
    dataiterator_init(&at, pool, of->repo, id, UPDATE_REFERENCE, nullptr, 0);
    while (dataiterator_step(&at) != 0
           && into.references.size() < repository_limits::references_max) {
        dataiterator_setpos(&at);
        into.references.push_back(
            {.kind = text_of(pool_lookup_str(pool, SOLVID_POS, UPDATE_REFERENCE_TYPE), 64),
             .id = text_of(pool_lookup_str(pool, SOLVID_POS, UPDATE_REFERENCE_ID), 255),
             .address = text_of(pool_lookup_str(pool, SOLVID_POS, UPDATE_REFERENCE_HREF), 2048),
             .title = text_of(pool_lookup_str(pool, SOLVID_POS, UPDATE_REFERENCE_TITLE), 1024)});
    }
    dataiterator_free(&at);
}

void read_fixed(Solvable* of, Id id, repository_erratum& into) {
    Pool* const pool = of->repo->pool;
    Dataiterator at;
    dataiterator_init(&at, pool, of->repo, id, UPDATE_COLLECTION, nullptr, 0);
    while (dataiterator_step(&at) != 0 && into.fixed.size() < repository_limits::fixed_max) {
        dataiterator_setpos(&at);
        auto fixed = named(
            pool,
            pool_lookup_id(pool, SOLVID_POS, UPDATE_COLLECTION_NAME),
            pool_lookup_id(pool, SOLVID_POS, UPDATE_COLLECTION_EVR),
            pool_lookup_id(pool, SOLVID_POS, UPDATE_COLLECTION_ARCH));
        if (packages::check(fixed)) into.fixed.push_back(std::move(fixed));
    }
    dataiterator_free(&at);
}

repository_erratum erratum_of(Solvable* of, Id id, std::string_view name) {
    repository_erratum result{
        .name = text_of(std::string(name).c_str(), 255),
        .synopsis = text_of(solvable_lookup_str(of, SOLVABLE_SUMMARY), 1024),
        .description = text_of(solvable_lookup_str(of, SOLVABLE_DESCRIPTION)),
        .kind = word_of(of, SOLVABLE_PATCHCATEGORY),
        .severity = word_of(of, UPDATE_SEVERITY),
        .status = word_of(of, UPDATE_STATUS),
        .from = of->vendor != 0 ? text_of(pool_id2str(of->repo->pool, of->vendor), 255) : "",
        .updated = time_of(of, SOLVABLE_BUILDTIME),
        .wants_reboot = solvable_lookup_void(of, UPDATE_REBOOT) != 0,
        .wants_restart = solvable_lookup_void(of, UPDATE_RESTART) != 0};
    read_references(of, id, result);
    read_fixed(of, id, result);
    return result;
}

}  // namespace

result<void> read_packages(
    std::string_view bytes,
    packages::family kind,
    const repository_limits& limits,
    contents& into) {
    reading from(kind);
    CHECK_OK(from.fill(bytes, limits.unpacked_bytes_max, [kind](Repo* repo, std::FILE* file) {
        return kind == packages::family::rpm ? repo_add_rpmmd(repo, file, nullptr, 0)
                                             : repo_add_debpackages(repo, file, 0);
    }));
    Id id = 0;
    Solvable* solvable = nullptr;
    FOR_REPO_SOLVABLES(from.repo, id, solvable) {
        auto package = package_of(solvable, kind);
        if (is_source(package)) continue;
        if (!packages::check(package.what) || package.checksum.empty()) {
            ++into.left_out;
            continue;
        }
        if (into.packages.size() == limits.packages_max)
            return fail(
                errc::invalid,
                fmt::format("the repository has more than {} packages", limits.packages_max));
        into.packages.push_back(std::move(package));
    }
    return {};
}

result<void> read_updateinfo(
    std::string_view bytes, const repository_limits& limits, contents& into) {
    reading from(packages::family::rpm);
    CHECK_OK(from.fill(bytes, limits.unpacked_bytes_max, [](Repo* repo, std::FILE* file) {
        return repo_add_updateinfoxml(repo, file, 0);
    }));
    Id id = 0;
    Solvable* solvable = nullptr;
    FOR_REPO_SOLVABLES(from.repo, id, solvable) {
        const std::string_view name = pool_id2str(from.pool.get(), solvable->name);
        if (!name.starts_with(patch_prefix) || name.size() == patch_prefix.size()) continue;
        if (into.errata.size() == limits.errata_max)
            return fail(
                errc::invalid,
                fmt::format("the repository has more than {} errata", limits.errata_max));
        into.errata.push_back(erratum_of(solvable, id, name.substr(patch_prefix.size())));
    }
    return {};
}

}  // namespace muster::repository
