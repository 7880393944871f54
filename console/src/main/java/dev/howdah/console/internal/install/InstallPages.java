package dev.howdah.console.internal.install;

import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.NotFoundException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.page.Routes;
import dev.howdah.operations.Role;

/** The button that creates the tables of a feature: {@code /install/jobs}, for administrators. */
public final class InstallPages implements PageAction {
    private final FeatureTables tables;
    private final String schema;

    private InstallPages(ConsoleData data) {
        this.tables = new FeatureTables(data);
        this.schema = data.schema();
    }

    public static void add(ConsoleData data, Routes<PageAction> actions) {
        actions.add("/install/{feature}", Role.ADMINISTRATOR, new InstallPages(data));
        actions.add("/uninstall/{feature}", Role.ADMINISTRATOR, new UninstallPages(data));
    }

    @Override
    public String question(ActionRequest request) {
        return "Create the tables of " + feature(request).word() + " in the schema " + schema
                + "? Their owner is the role of the console; nothing else is changed.";
    }

    @Override
    public ActionResult run(ActionRequest request) {
        Feature feature = feature(request);
        boolean there = tables.areThere(feature);
        if (!there) tables.create(feature);
        return new ActionResult(
                "The tables of " + feature.word() + (there ? " were there already." : " are there."),
                "/" + feature.word());
    }

    static Feature feature(ActionRequest request) {
        String word = request.page().name("feature");
        Feature feature = Feature.of(word);
        if (feature == null) throw new NotFoundException("there are no tables of \"" + word + "\"");
        return feature;
    }
}
