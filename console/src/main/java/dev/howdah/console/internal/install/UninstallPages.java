package dev.howdah.console.internal.install;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.PageAction;

/** Drops the tables of a feature: {@code /uninstall/{feature}}. */
final class UninstallPages implements PageAction {
    private final FeatureTables tables;
    private final String schema;

    UninstallPages(ConsoleData data) {
        this.tables = new FeatureTables(data);
        this.schema = data.schema();
    }

    @Override
    public String question(ActionRequest request) {
        return "Drop the tables of " + InstallPages.feature(request).word() + " in the schema " + schema
                + " with all their rows? Nothing brings them back.";
    }

    @Override
    public ActionResult run(ActionRequest request) {
        Feature feature = InstallPages.feature(request);
        boolean there = tables.areThere(feature);
        if (there) tables.drop(feature, false);
        return new ActionResult(
                "The tables of " + feature.word() + (there ? " are gone." : " were not there."), "/settings");
    }
}
