import java.util.List;
import java.util.Map;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

/** An OpenSearch node with the settings of its arguments, each as NAME=VALUE: {@code java -cp 'jars/*' LocalNode.java path.home=...} */
public class LocalNode extends Node {
    LocalNode(Settings settings) {
        super(
            InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "node"),
            List.of(Netty4Plugin.class, CommonAnalysisPlugin.class),
            true
        );
    }

    public static void main(String[] arguments) throws Exception {
        Settings.Builder settings = Settings.builder();
        for (String argument : arguments) {
            String[] pair = argument.split("=", 2);
            settings.put(pair[0], pair[1]);
        }
        new LocalNode(settings.build()).start();
        Thread.currentThread().join();
    }
}
