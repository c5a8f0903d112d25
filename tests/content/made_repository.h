#pragma once

// Repositories as the tools of their makers make them.
#include "tests/harness/process.h"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace muster::content::test {

inline void shell(const std::string& line) {
    harness::process run(harness::command{
        .argv = {"/bin/sh", "-ec", line}, .environment = {}, .output = "/dev/null", .user = {}});
    REQUIRE_MESSAGE(run.wait(std::chrono::seconds(120)) == 0, line);
}

inline void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

struct made_package {
    std::string name;
    std::string version;
    std::string release = "1";
    std::string epoch = "0";
};

inline std::string spec_of(const made_package& of) {
    return "Name: " + of.name + "\nVersion: " + of.version + "\nRelease: " + of.release
           + "\nEpoch: " + of.epoch + "\nSummary: Sells " + of.name
           + "\nLicense: MIT\nBuildArch: noarch\n%description\nAll of " + of.name + ".\n%files\n";
}

// An erratum as updateinfo.xml has it, about one package.
inline std::string advisory(
    const std::string& name, const std::string& cve, const made_package& of) {
    const auto file = of.name + "-" + of.version + "-" + of.release + ".noarch.rpm";
    return "<update from=\"shop@acme.org\" status=\"final\" type=\"security\">"
           "<id>" + name
           + "</id><title>" + of.name
           + " is safer</title><issued date=\"2026-10-01 10:00:00\"/><severity>Important</severity>"
             "<description>It was not.</description><references><reference href=\"https://cve.org/"
           + cve + "\" id=\"" + cve + "\" type=\"cve\" title=\"" + cve
           + "\"/></references><pkglist><collection short=\"c\"><name>c</name>"
             "<package name=\"" + of.name
           + "\" epoch=\"" + of.epoch + "\" version=\"" + of.version + "\" release=\"" + of.release
           + "\" arch=\"noarch\" src=\"s\"><filename>" + file
           + "</filename><reboot_suggested>True</reboot_suggested></package></collection></pkglist>"
             "</update>";
}

// By rpmbuild and createrepo_c.
inline void make_rpm_repository(
    const std::filesystem::path& where,
    const std::vector<made_package>& all,
    const std::string& updates = "",
    const std::string& packing = "gz") {
    const auto top = where.string() + ".top";
    std::string specs;
    for (const auto& each : all) {
        const auto spec = top + "/" + each.name + "-" + each.epoch + "-" + each.version + "-"
                          + each.release + ".spec";
        write(spec, spec_of(each));
        specs += " '" + spec + "'";
    }
    std::filesystem::create_directories(where);
    shell(
        "rpmbuild -bb --quiet --define '_topdir " + top + "' --define '_rpmdir " + where.string()
        + "'" + specs + "; createrepo_c -q --general-compress-type=" + packing + " "
        + where.string());
    if (updates.empty()) return;
    write(top + "/updateinfo.xml", "<updates>" + updates + "</updates>");
    shell(
        "modifyrepo_c --compress-type=" + packing + " " + top + "/updateinfo.xml " + where.string()
        + "/repodata");
}

// By dpkg-deb and apt-ftparchive: a suite with one component.
inline void make_deb_repository(
    const std::filesystem::path& where,
    const std::vector<std::pair<std::string, std::string>>& all) {
    const auto top = where.string() + ".top";
    std::string line;
    const auto pool = where.string() + "/pool";
    std::filesystem::create_directories(pool);
    for (const auto& [name, version] : all) {
        const auto tree = top + "/" + name;
        write(
            tree + "/DEBIAN/control",
            "Package: " + name + "\nVersion: " + version
                + "\nArchitecture: amd64\nMaintainer: Shop <shop@acme.org>\nDescription: Sells "
                + name + "\n All of it.\n");
        line += "dpkg-deb -b " + tree + " " + pool + " >/dev/null; ";
    }
    const auto lists = "dists/stable/main/binary-amd64";
    shell(
        line + "cd " + where.string() + "; mkdir -p " + lists + "; apt-ftparchive packages pool > "
        + lists + "/Packages; xz -k " + lists + "/Packages; gzip -k " + lists
        + "/Packages; apt-ftparchive release dists/stable > R; mv R dists/stable/Release");
}

}  // namespace muster::content::test
