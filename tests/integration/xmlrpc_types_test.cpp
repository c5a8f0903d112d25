// The fields of answers and their types, as clients of the older servers know them: what these
// write into their answers, for the methods that clients ask most.

#include "tests/integration/xmlrpc_packages_fixture.h"

namespace muster::integration {
namespace {

// A field is `name:type`: s text, i number, b flag, d moment, a array, t struct. With a `?` it may
// be left out, where a server knows nothing.
constexpr const char* known_answers = R"(
overview = "id:i name:s last_checkin:d? created:d last_boot:d?"
details = ("id:i profile_name:s machine_id:s payg:b minion_id:s base_entitlement:s"
           " addon_entitlements:a auto_update:b release:s address1:s? address2:s? city:s? state:s?"
           " country:s? building:s? room:s? rack:s? description:s hostname:s last_boot:d"
           " osa_status:s lock_status:b virtualization:s contact_method:s")
found = "id:i name:s last_checkin:d? hostname:s uuid:s ip:s"
channel = ("id:i name:s label:s arch_name:s arch_label:s summary:s description:s checksum_label:s"
           " last_modified:d maintainer_name:s maintainer_email:s maintainer_phone:s"
           " support_policy:s gpg_key_url:s gpg_key_id:s gpg_key_fp:s gpg_check:b"
           " yumrepo_last_sync:d? end_of_life:s parent_channel_label:s clone_original:s"
           " sync_status:s? contentSources:a")
action = ("id:i name:s type:s scheduler:s earliest:d prerequisite:i? completedSystems:i"
          " failedSystems:i inProgressSystems:i")
acting = "server_id:i server_name:s base_channel:s timestamp:d message:s?"
package = ("name:s version:s release:s epoch:s checksum:s checksum_type:s id:i arch_label:s"
           " last_modified_date:s last_modified:s?")
erratum = ("id:i issue_date:s date:s update_date:s advisory_synopsis:s advisory_type:s"
           " advisory_status:s advisory_name:s reboot_suggested:b restart_suggested:b")
group = "id:i name:s description:s org_id:i system_count:i"
revision = ("type:s path:s channel:s contents:s contents_enc64:b revision:i creation:d modified:d"
            " owner:s group:s permissions:i permissions_mode:s selinux_ctx:s? binary:b sha256:s"
            " macro-start-delimiter:s macro-end-delimiter:s")
known = [
    ("system.listSystems", [], overview),
    ("system.getId", ["web1"], overview),
    ("system.getDetails", [sid], details),
    ("system.getCpu", [sid],
     "cache:s family:s mhz:s flags:s model:s? vendor:s arch:s? stepping:s count:i"),
    ("systemgroup.listSystems", ["shops"], details),
    ("systemgroup.listAllGroups", [], group),
    ("systemgroup.getDetails", ["shops"], group),
    ("system.search.nameAndDescription", ["web1"], found),
    ("system.search.hostname", [socket.gethostname()[:3]], found),
    ("channel.listSoftwareChannels", [], "label:s name:s parent_label:s end_of_life:s arch:s"),
    ("channel.listAllChannels", [],
     "id:i label:s name:s provider_name:s packages:i systems:i arch_name:s"),
    ("channel.software.getDetails", ["shop"], channel),
    ("channel.software.listSubscribedSystems", ["shop"], "id:i name:s"),
    ("channel.software.listAllPackages", ["shop"], package),
    ("channel.software.listErrata", ["shop"], erratum),
    ("system.getSubscribedBaseChannel", [sid], channel),
    ("system.listSubscribedChildChannels", [sid], channel),
    ("system.listSubscribableChildChannels", [sid],
     "id:i name:s label:s summary:s has_license:s gpg_key_url:s"),
    ("system.listPackages", [sid], "name:s version:s release:s epoch:s arch:s"),
    ("system.listLatestUpgradablePackages", [sid],
     "name:s arch:s from_version:s from_release:s from_epoch:s to_version:s to_release:s"
     " to_epoch:s to_arch:s to_package_id:i"),
    ("system.listOutOfDateSystems", [], overview + " outdated_pkg_count:i"),
    ("system.getRelevantErrata", [sid], erratum),
    ("errata.findByCve", ["CVE-2026-1"],
     "id:i date:s advisory_type:s advisory_status:s advisory_name:s advisory_synopsis:s"),
    ("errata.getDetails", ["SHOP-1"],
     "id:i issue_date:s update_date:s last_modified_date:s? release:i? advisory_status:s"
     " vendor_advisory:s? product:s errataFrom:s? solution:s description:s synopsis:s topic:s"
     " references:s notes:s type:s severity:s? reboot_suggested:b restart_suggested:b"),
    ("errata.listPackages", ["SHOP-1"],
     "id:i name:s epoch:s version:s release:s arch_label:s providing_channels:a description:s?"
     " checksum:s checksum_type:s summary:s"),
    ("packages.search.advanced", ["name:till"],
     "id:i name:s summary:s description:s version:s release:s arch:s epoch:s provider:s"),
    ("configchannel.listGlobals", [],
     "id:i orgId:i label:s name:s description:s configChannelType:t"),
    ("configchannel.listFiles", ["base"], "type:s path:s last_modified:d"),
    ("configchannel.lookupFileInfo", ["base", ["/etc/motd"]], revision),
    ("configchannel.lookupFileInfo", ["base", "/etc/motd", 1], revision),
    ("activationkey.getDetails", [made],
     "key:s description:s usage_limit:i base_channel_label:s child_channel_labels:a"
     " entitlements:a server_group_ids:a package_names:a packages:a universal_default:b"
     " disabled:b contact_method:s app_streams:a"),
    ("system.listGroups", [sid], "id:i subscribed:i system_group_name:s sgid:s"),
    ("schedule.listInProgressActions", [], action),
    ("schedule.listCompletedActions", [], action),
    ("schedule.listInProgressSystems", [later], acting),
    ("schedule.listCompletedSystems", [ran], acting),
    ("system.getScriptResults", [ran],
     "serverId:i startDate:d stopDate:d returnCode:i output:s output_enc64:b"),
    ("system.getEventHistory", [sid],
     "id:i history_type:s status:s summary:s completed:d details:s"),
    ("actionchain.listChains", [], "label:s entrycount:i"),
    ("actionchain.listChainActions", ["nightly"],
     "id:i label:s created:d earliest:d type:s modified:d cuid:s"),
    ("user.listUsers", [], "id:i login:s login_uc:s enabled:b"),
    ("user.getDetails", ["admin"],
     "first_names:s first_name:s last_name:s email:s org_id:i org_name:s prefix:s"
     " last_login_date:s? created_date:s? enabled:b use_pam:b read_only:b errata_notification:b"),
    ("org.getDetails", [1],
     "id:i name:s active_users:i systems:i trusts:i? system_groups:i activation_keys:i"
     " kickstart_profiles:i configuration_channels:i staging_content_enabled:b?"),
    ("recurring.lookupById", [weekly],
     "id:i name:s entity_id:i entity_type:s cron_expr:s created:d creator:s test:b states:a"
     " active:b"),
    ("maintenance.getCalendarDetails", ["nights"], "id:i orgId:i label:s ical:s"),
    ("system.listMigrationTargets", [sid], "ident:s friendly:s"),
]
)";

// Something of everything.
constexpr const char* fleet_of_one = R"(
import base64, grp, os, pwd, socket
user = pwd.getpwuid(os.getuid()).pw_name
grouped = grp.getgrgid(os.getgid()).gr_name
software = server.channel.software
software.create(key, "shop", "Shop", "All for shops", "channel-x86_64", "")
software.create(key, "later", "Later", "For later", "channel-x86_64", "")
for child in ("has", "may-have"):
    software.create(key, child, child, "", "channel-x86_64", "shop")
software.createRepo(key, "shop-repo", "yum", "file://" + repository)
software.associateRepo(key, "shop", "shop-repo")
software.syncRepo(key, "shop")
wait_for("not synced", lambda: software.getDetails(key, "shop")["sync_status"] == "completed")
wait_for("no packages", lambda: len(server.system.listPackages(key, sid)) == 2)
server.system.setBaseChannel(key, sid, "shop")
server.system.setChildChannels(key, sid, ["has"])
server.systemgroup.create(key, "shops", "sell")
server.systemgroup.addOrRemoveSystems(key, "shops", [sid], True)
server.configchannel.create(key, "base", "Base", "for all")
server.configchannel.createOrUpdatePath(key, "base", "/etc/motd", False, {
    "contents": "hello", "owner": "root", "group": "root", "permissions": "644"})
made = server.activationkey.create(key, "web", "for the web", "", [], False)
run = server.system.scheduleScriptRun
ran = run(key, [sid], user, grouped, 60, "echo hello", moment())
later = run(key, [sid], user, grouped, 60, "echo later", moment(3600))
server.actionchain.createChain(key, "nightly")
server.actionchain.addScriptRun(
    key, sid, "nightly", user, grouped, 60, base64.b64encode(b"echo one").decode())
weekly = server.recurring.custom.create(key, {
    "entity_type": "minion", "entity_id": sid, "name": "weekly",
    "cron_expr": "0 30 3 ? * 2", "states": ["test.ping"]})
server.maintenance.createCalendar(key, "nights",
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//t//\r\n"
    "BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:nights\r\nDTSTART:20260101T220000Z\r\n"
    "DTEND:20260102T020000Z\r\nRRULE:FREQ=DAILY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")
wait_for("not run", lambda: ran in done())
wait_for("no facts", lambda: "last_boot" in server.system.getDetails(key, sid))
)";

constexpr const char* comparison = R"(
kinds = {"s": str, "i": int, "b": bool, "d": xmlrpc.client.DateTime, "a": list, "t": dict}
wrong = []
for method, arguments, fields in known:
    ask = server
    for part in method.split("."):
        ask = getattr(ask, part)
    told = ask(key, *arguments)
    each = told if isinstance(told, list) else [told]
    if not each:
        wrong.append("%s tells nothing" % method)
    for field in fields.split():
        name, kind = field.rstrip("?").rsplit(":", 1)
        for one in each:
            if name not in one:
                if not field.endswith("?"):
                    wrong.append("%s has no %s" % (method, name))
            elif type(one[name]) is not kinds[kind]:
                wrong.append("%s: %s is %r" % (method, name, one[name]))
assert not wrong, "\n".join(sorted(set(wrong)))
print(len(known))
)";

TEST_CASE("answers have the fields that clients know, of the types that they know") {
    xmlrpc_packages_fixture here;
    here.take_in();

    const auto compared =
        here.python(fleet_of_one + std::string(known_answers) + std::string(comparison));

    CHECK(std::stoi(compared) >= 40);
}

}  // namespace
}  // namespace muster::integration
