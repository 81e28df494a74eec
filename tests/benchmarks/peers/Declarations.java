import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.DoWhileLoopTree;
import com.sun.source.tree.EnhancedForLoopTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.tree.WhileLoopTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import com.sun.tools.javac.tree.JCTree;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Prints what Java files declare, by javac: one line of JSON for each file named on the input. */
public class Declarations extends TreeScanner<Void, Void> {
    private final CompilationUnitTree unit;
    private final LineMap lines;
    private final SourcePositions places;
    private final Deque<String> path = new ArrayDeque<>();
    private final Deque<int[]> counts = new ArrayDeque<>();
    private final List<String> rows = new ArrayList<>();
    private final List<String> complexity = new ArrayList<>();
    private final List<String> imports = new ArrayList<>();

    Declarations(CompilationUnitTree unit, SourcePositions places) {
        this.unit = unit;
        this.lines = unit.getLineMap();
        this.places = places;
    }

    private String named(String name) {
        return path.isEmpty() ? name : path.peek() + "." + name;
    }

    private void add(String kind, String name, Tree tree) {
        long line = lines.getLineNumber(((JCTree) tree).pos);
        long end = lines.getLineNumber(places.getEndPosition(unit, tree) - 1);
        rows.add("[\"" + kind + "\",\"" + named(name) + "\"," + line + "," + end + "]");
    }

    @Override
    public Void visitClass(ClassTree tree, Void none) {
        String name = tree.getSimpleName().toString();
        if (name.isEmpty()) {
            for (Tree member : tree.getMembers()) {
                if (!(member instanceof VariableTree)) scan(member, none);
            }
            return null;
        }
        add("type", name, tree);
        path.push(named(name));
        for (Tree member : tree.getMembers()) {
            if (member instanceof VariableTree variable) {
                boolean constant = (((JCTree.JCVariableDecl) member).mods.flags & (1L << 14)) != 0;
                add("field", variable.getName().toString(), member);
                if (constant && variable.getInitializer() instanceof NewClassTree made) {
                    scan(made.getClassBody(), none);
                    continue;
                }
            }
            scan(member, none);
        }
        path.pop();
        return null;
    }

    @Override
    public Void visitMethod(MethodTree tree, Void none) {
        String name = tree.getName().toString();
        if (name.equals("<init>")) name = path.peek().substring(path.peek().lastIndexOf('.') + 1);
        add("function", name, tree);
        path.push(named(name));
        counts.push(new int[] {1});
        scan(tree.getBody(), none);
        complexity.add("[\"" + path.pop() + "\"," + counts.pop()[0] + "]");
        return null;
    }

    @Override
    public Void visitImport(ImportTree tree, Void none) {
        imports.add('"' + tree.getQualifiedIdentifier().toString() + '"');
        return null;
    }

    private void decide() {
        if (!counts.isEmpty()) counts.peek()[0]++;
    }

    @Override
    public Void visitIf(IfTree tree, Void none) {
        decide();
        return super.visitIf(tree, none);
    }

    @Override
    public Void visitForLoop(ForLoopTree tree, Void none) {
        decide();
        return super.visitForLoop(tree, none);
    }

    @Override
    public Void visitEnhancedForLoop(EnhancedForLoopTree tree, Void none) {
        decide();
        return super.visitEnhancedForLoop(tree, none);
    }

    @Override
    public Void visitWhileLoop(WhileLoopTree tree, Void none) {
        decide();
        return super.visitWhileLoop(tree, none);
    }

    @Override
    public Void visitDoWhileLoop(DoWhileLoopTree tree, Void none) {
        decide();
        return super.visitDoWhileLoop(tree, none);
    }

    @Override
    public Void visitCase(CaseTree tree, Void none) {
        if (!tree.getExpressions().isEmpty()) decide();
        return super.visitCase(tree, none);
    }

    @Override
    public Void visitCatch(CatchTree tree, Void none) {
        decide();
        return super.visitCatch(tree, none);
    }

    @Override
    public Void visitConditionalExpression(ConditionalExpressionTree tree, Void none) {
        decide();
        return super.visitConditionalExpression(tree, none);
    }

    @Override
    public Void visitBinary(BinaryTree tree, Void none) {
        if (tree.getKind() == Tree.Kind.CONDITIONAL_AND || tree.getKind() == Tree.Kind.CONDITIONAL_OR) {
            decide();
        }
        return super.visitBinary(tree, none);
    }

    public static void main(String[] arguments) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        PrintStream out = new PrintStream(System.out, true, "UTF-8");
        var files = compiler.getStandardFileManager(null, null, null);
        var input = new BufferedReader(new InputStreamReader(System.in));
        for (String name; (name = input.readLine()) != null; ) {
            var task = (JavacTask) compiler.getTask(null, files, problem -> {}, List.of("-proc:none"),
                null, files.getJavaFileObjects(Path.of(name)));
            CompilationUnitTree unit = task.parse().iterator().next();
            var reader = new Declarations(unit, Trees.instance(task).getSourcePositions());
            reader.scan(unit, null);
            out.println("{\"path\":\"" + name + "\",\"rows\":[" + String.join(",", reader.rows)
                + "],\"imports\":[" + String.join(",", reader.imports)
                + "],\"complexity\":[" + String.join(",", reader.complexity) + "]}");
        }
    }
}
